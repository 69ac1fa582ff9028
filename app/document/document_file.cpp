#include "app/document/document_file.h"

#include <QDir>
#include <QFileInfo>

#include "app/document/text.h"
#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/io/asset/asset_paths.h"
#include "engine/io/graph/graph_file.h"

namespace hw::app {
namespace {

FileStamp stamp_of(const QString& path) {
  const QFileInfo file(path);
  return {file.lastModified(), file.size()};
}

}  // namespace

QString DocumentFile::pathOf(const QUrl& file) {
  return file.isLocalFile() ? file.toLocalFile() : file.toString();
}

QString DocumentFile::newPathOf(const QUrl& file) {
  const QString path = QFileInfo(pathOf(file)).absoluteFilePath();
  return QFileInfo(path).suffix().isEmpty() ? path + QStringLiteral(".halfwire") : path;
}

Result<Graph> DocumentFile::read(const QString& path) {
  return guarded_at(to_std(path), [&] { return read_graph(to_path(path)); });
}

Status DocumentFile::write(const QString& path, const Graph& graph, const Edits& edits) {
  Graph written = graph;
  if (const auto applied = apply_edits(written, edits); !applied) return applied.error();
  const Status saved = guarded_at(to_std(path), [&] { return save_graph(written, to_path(path)); });
  if (saved && path == path_) note();
  return saved;
}

Result<QString> DocumentFile::toSave() const {
  if (!exists()) return Error{codes::file_unwritable, "", "The graph has no file yet.", "Choose a name with Save As."};
  return path_;
}

Edits DocumentFile::seenFrom(const Graph& document, const QString& path) const {
  return paths_seen_from(document, to_path(folder()), to_path(QFileInfo(path).absolutePath()));
}

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

std::optional<AssetRef> DocumentFile::chosen(const NodeType& type, const ParamDecl& param, const ParamValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (param.type != ParamDecl::Type::path || !text || type.decl.outputs().empty()) return std::nullopt;
  if (text->empty() || text->starts_with("asset:")) return std::nullopt;
  return AssetRef{{}, param.id, *text, type.decl.outputs().front().kind};
}

QStringList DocumentFile::lost(const Graph& flat, const Reach& before) const {
  QStringList files;
  Reach now = reach();
  for (const AssetRef& ref : asset_refs(flat)) {
    const auto file = to_path(QDir(folder()).absoluteFilePath(to_q(ref.path)));
    if (now.check(file, ref.path) || !before.check(file, ref.path)) continue;
    files.append(allowedBy(ref));
    now.allow(to_path(files.back()));
  }
  return files;
}

Reach DocumentFile::reach() const {
  Reach reach(to_path(QFileInfo(path_).absolutePath()));
  for (const QString& more : allowed_) reach.allow(to_path(more));
  return reach;
}

std::vector<AssetRef> DocumentFile::assetsOutside(const Graph& flat) const {
  return assets_outside(flat, to_path(folder()));
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
