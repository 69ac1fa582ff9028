// DocumentFile: where a document lies on disk, how its file is read and written and how it looked, and what the graph
// may read besides.
#pragma once

#include <QCoreApplication>
#include <QDateTime>
#include <QStringList>
#include <QUrl>
#include <optional>

#include "engine/graph/edit.h"
#include "engine/io/asset/asset_refs.h"
#include "engine/io/file/reach.h"

namespace hw::app {

/// What a file looked like.
struct FileStamp {
  QDateTime time;  // of its last change
  qint64 size = 0;
  bool operator==(const FileStamp&) const = default;
};

/// Holds no graph. GUI thread.
class DocumentFile {
  Q_DECLARE_TR_FUNCTIONS(DocumentFile)

 public:
  /// Where the file lies that the user chose to open.
  static QString pathOf(const QUrl& file);
  /// Where a graph is written under the name that the user chose: with an ending, and from the root on.
  static QString newPathOf(const QUrl& file);
  /// Errors of read_graph, or of what it throws, with the path as place.
  static Result<Graph> read(const QString& path);
  /// Writes what `edits` make of `graph`, and notes how the file looks where it is this document's. Errors of
  /// apply_edits and save_graph, or of what that throws, with the path as place.
  Status write(const QString& path, const Graph& graph, const Edits& edits);
  /// path(); error HW-F002: there is none yet.
  Result<QString> toSave() const;
  /// Edits by which the nodes of `document` name the same files when it is moved to `path`: see paths_seen_from.
  Edits seenFrom(const Graph& document, const QString& path) const;

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
  /// What the user has named by setting a parameter; none where that names nothing on disk, or names it by "asset:".
  static std::optional<AssetRef> chosen(const NodeType& type, const ParamDecl& param, const ParamValue& value);
  /// What to allow so that the nodes of `flat` reach from here what they reached `before`.
  QStringList lost(const Graph& flat, const Reach& before) const;
  /// Below the folder of path(), and what is allowed.
  Reach reach() const;
  /// Assets of `flat` that lie outside folder(): see assets_outside.
  std::vector<AssetRef> assetsOutside(const Graph& flat) const;
  /// Lines that say so of what lies outside folder().
  QStringList outside(const std::vector<AssetRef>& refs) const;

 private:
  QString path_;
  QString name_;  // of what it is a copy of
  QStringList allowed_;
  FileStamp stamp_;
};

}  // namespace hw::app
