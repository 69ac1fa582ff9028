#include "app/desktop/example_files.h"

#include <QCoreApplication>
#include <QDir>

namespace hw::app {
namespace {

QFileInfoList graphs_in(const QString& folder_of_examples) {
  const QString program = QCoreApplication::applicationDirPath();
  for (const QString& folder :
       {program + QStringLiteral("/../share/halfwire/examples"), program + QStringLiteral("/examples")}) {
    const QFileInfoList files =
        QDir(folder + folder_of_examples).entryInfoList({QStringLiteral("*.halfwire")}, QDir::Files, QDir::Name);
    if (!files.isEmpty()) return files;
  }
  return {};
}

}  // namespace

QFileInfoList example_files() {
  return graphs_in(QString());
}

QFileInfoList network_files() {
  return graphs_in(QStringLiteral("/networks"));
}

bool is_example(const QString& path) {
  const QString wanted = QFileInfo(path).canonicalFilePath();
  const QFileInfoList files = example_files() + network_files();
  return std::any_of(files.begin(), files.end(),
                     [&](const QFileInfo& file) { return file.canonicalFilePath() == wanted; });
}

}  // namespace hw::app
