#include "app/desktop/example_files.h"

#include <QCoreApplication>
#include <QDir>

namespace hw::app {

QFileInfoList example_files() {
  const QString program = QCoreApplication::applicationDirPath();
  for (const QString& folder :
       {program + QStringLiteral("/../share/halfwire/examples"), program + QStringLiteral("/examples")}) {
    const QFileInfoList files = QDir(folder).entryInfoList({QStringLiteral("*.halfwire")}, QDir::Files, QDir::Name);
    if (!files.isEmpty()) return files;
  }
  return {};
}

bool is_example(const QString& path) {
  const QString wanted = QFileInfo(path).canonicalFilePath();
  const QFileInfoList files = example_files();
  return std::any_of(files.begin(), files.end(),
                     [&](const QFileInfo& file) { return file.canonicalFilePath() == wanted; });
}

}  // namespace hw::app
