// DocumentFile: where a document lies on disk, how its file looked, and what the graph may read besides.
#pragma once

#include <QCoreApplication>
#include <QDateTime>
#include <QStringList>

#include "engine/io/asset/asset_refs.h"
#include "engine/io/file/reach.h"

namespace hw::app {

/// What a file looked like.
struct FileStamp {
  QDateTime time;  // of its last change
  qint64 size = 0;
  bool operator==(const FileStamp&) const = default;
};

/// Reads and writes no graph. GUI thread.
class DocumentFile {
  Q_DECLARE_TR_FUNCTIONS(DocumentFile)

 public:
  /// Another document: its file, "" where it has none and is called `name`. Nothing is allowed yet; the stamp is to be
  /// noted.
  void open(const QString& path, const QString& name = {});
  /// The same document in another file, as it is now on disk.
  void move(const QString& path);

  /// The file's name without its ending, or what it is called.
  QString title() const;
  const QString& path() const { return path_; }
  bool exists() const { return !path_.isEmpty(); }
  /// The file's folder, where paths of nodes begin; without a file, the working directory.
  QString folder() const;

  /// How the file looked when it was loaded or saved here.
  const FileStamp& stamp() const { return stamp_; }
  void setStamp(const FileStamp& stamp) { stamp_ = stamp; }
  /// It looks so now.
  void note();
  /// The file is another, or gone, since it was noted.
  bool changedOutside() const;

  /// What may be read besides the folder and the asset folders: absolute paths.
  const QStringList& allowed() const { return allowed_; }
  /// False: it was allowed before.
  bool allow(const QString& file);
  /// What to allow for a node to read what it names: the file; of a data set its whole folder.
  QString allowedBy(const AssetRef& ref) const;
  /// Below the folder of path(), and what is allowed.
  Reach reach() const;
  /// Lines that say so of what lies outside folder().
  QStringList outside(const std::vector<AssetRef>& refs) const;

 private:
  QString path_;
  QString name_;  // of what it is a copy of
  QStringList allowed_;
  FileStamp stamp_;
};

}  // namespace hw::app
