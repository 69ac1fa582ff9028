#include "app/document/document_file.h"

#include <QDir>
#include <QFileInfo>

#include "app/document/text.h"

namespace hw::app {
namespace {

FileStamp stamp_of(const QString& path) {
  const QFileInfo file(path);
  return {file.lastModified(), file.size()};
}

}  // namespace

void DocumentFile::open(const QString& path, const QString& name) {
  path_ = path;
  name_ = name;
  allowed_.clear();
}

void DocumentFile::move(const QString& path) {
  path_ = path;
  note();
}

QString DocumentFile::title() const {
  if (exists()) return QFileInfo(path_).completeBaseName();
  return name_.isEmpty() ? tr("Untitled") : name_;
}

QString DocumentFile::folder() const {
  return exists() ? QFileInfo(path_).absolutePath() : QDir::currentPath();
}

void DocumentFile::note() {
  stamp_ = stamp_of(path_);
}

bool DocumentFile::changedOutside() const {
  return exists() && (!QFileInfo::exists(path_) || stamp_of(path_) != stamp_);
}

bool DocumentFile::allow(const QString& file) {
  if (allowed_.contains(file)) return false;
  allowed_.append(file);
  return true;
}

QString DocumentFile::allowedBy(const AssetRef& ref) const {
  const QFileInfo file(QDir(folder()), to_q(ref.path));
  return ref.kind == Kind::dataset && file.isFile() ? file.absolutePath() : file.absoluteFilePath();
}

Reach DocumentFile::reach() const {
  Reach reach(to_path(QFileInfo(path_).absolutePath()));
  for (const QString& more : allowed_) reach.allow(to_path(more));
  return reach;
}

QStringList DocumentFile::outside(const std::vector<AssetRef>& refs) const {
  QStringList lines;
  for (const AssetRef& ref : refs)
    lines.append(tr("%1: %2 lies outside the graph's folder: it does not travel with the graph, and opening the graph "
                    "asks before it is read. To avoid that, copy it below %3 and choose it there.")
                     .arg(to_q(ref.node), to_q(ref.path), folder()));
  return lines;
}

}  // namespace hw::app
