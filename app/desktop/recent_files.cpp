#include "app/desktop/recent_files.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QUrl>
#include <QVariantMap>

namespace hw::app {
namespace {

constexpr int kKept = 10;
const QString kKey = QStringLiteral("files/recent");

}  // namespace

RecentFiles::RecentFiles(QObject* parent) : QObject(parent), paths_(QSettings().value(kKey).toStringList()) {}

QVariantList RecentFiles::files() const {
  QVariantList list;
  for (const QString& path : paths_) {
    const QFileInfo file(path);
    if (!file.exists()) continue;
    QString folder = file.path();
    const QString home = QDir::homePath();
    if (folder == home || folder.startsWith(home + QLatin1Char('/'))) folder.replace(0, home.size(), QLatin1Char('~'));
    list.append(
        QVariantMap{{"title", file.completeBaseName()}, {"folder", folder}, {"url", QUrl::fromLocalFile(path)}});
  }
  return list;
}

void RecentFiles::note(const QString& path) {
  if (paths_.value(0) == path) return;
  paths_.removeAll(path);
  paths_.prepend(path);
  while (paths_.size() > kKept) paths_.removeLast();
  keep();
}

void RecentFiles::clear() {
  paths_.clear();
  keep();
}

void RecentFiles::keep() {
  QSettings().setValue(kKey, paths_);
  Q_EMIT changed();
}

}  // namespace hw::app
