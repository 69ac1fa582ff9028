// Document: new, load, save, and what it may read.
#include <QDir>
#include <QFileInfo>

#include "app/document/document.h"
#include "app/document/text.h"
#include "engine/core/exceptions.h"
#include "engine/io/asset_paths.h"
#include "engine/io/graph_file.h"

namespace hw::app {
namespace {

FileStamp stamp_of(const QString& path) {
  const QFileInfo file(path);
  return {file.lastModified(), file.size()};
}

}  // namespace

void Document::newDocument() {
  replace(Graph{}, {});
}

bool Document::load(const QUrl& file, bool asCopy) {
  const QString path = file.isLocalFile() ? file.toLocalFile() : file.toString();
  auto graph = guarded_at(to_std(path), [&] { return read_graph(to_path(path)); });
  if (!graph) {
    refuse(graph.error());
    return false;
  }
  const QFileInfo info(path);
  if (asCopy) {
    replace(std::move(*graph), {}, info.completeBaseName());
    return true;
  }
  replace(std::move(*graph), info.absoluteFilePath());
  noteFile();
  weights_.open(path_, reach());
  return true;
}

void Document::restore(Graph graph, const QString& path, const QString& name, const FileStamp& stamp,
                       const QString& weights) {
  replace(std::move(graph), path, name);
  undo_.resetClean();
  if (!path_.isEmpty()) fileStamp_ = stamp;
  if (!weights.isEmpty())
    weights_.recover(path_, weights);
  else if (!path_.isEmpty())
    weights_.open(path_, reach());
}

QString Document::title() const {
  if (!path_.isEmpty()) return QFileInfo(path_).completeBaseName();
  return name_.isEmpty() ? tr("Untitled") : name_;
}

bool Document::changedOutside() const {
  if (path_.isEmpty()) return false;
  return !QFileInfo::exists(path_) || stamp_of(path_) != fileStamp_;
}

void Document::noteFile() {
  fileStamp_ = stamp_of(path_);
}

bool Document::save() {
  if (path_.isEmpty()) {
    refuse({codes::file_unwritable, "", "The graph has no file yet.", "Choose a name with Save As."});
    return false;
  }
  return saveTo(path_);
}

bool Document::saveAs(const QUrl& file) {
  QString path = QFileInfo(file.isLocalFile() ? file.toLocalFile() : file.toString()).absoluteFilePath();
  if (QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".halfwire");
  const Reach before = reach();
  const Edits seen = paths_seen_from(graph_, to_path(folder()), to_path(QFileInfo(path).absolutePath()));
  if (!saveTo(path, seen)) return false;
  path_ = path;
  noteFile();
  allowMoved(before);
  Q_EMIT fileChanged();
  tellOutside(tr("Save As"), assets_outside(flat_.graph(), to_path(folder())));
  return true;
}

void Document::allowMoved(const Reach& before) {
  const Graph& flat = flat_.graph();
  for (const AssetRef& ref : asset_refs(flat)) {
    const auto file = to_path(QDir(folder()).absoluteFilePath(to_q(ref.path)));
    if (!reach().check(file, ref.path) && before.check(file, ref.path)) allowNamed(ref);
  }
}

void Document::tellOutside(const QString& what, const std::vector<AssetRef>& outside) {
  if (outside.empty()) return;
  QStringList lines;
  for (const AssetRef& ref : outside)
    lines.append(tr("%1: %2 lies outside the graph's folder: it does not travel with the graph, and opening the graph "
                    "asks before it is read. To avoid that, copy it below %3 and choose it there.")
                     .arg(to_q(ref.node), to_q(ref.path), folder()));
  Q_EMIT explained(what, lines);
}

QString Document::folder() const {
  return path_.isEmpty() ? QDir::currentPath() : QFileInfo(path_).absolutePath();
}

bool Document::saveTo(const QString& path, const Edits& also) {
  letGo();  // a file holds whole steps
  Graph written = graph_;
  const auto applied = apply_edits(written, also);
  const Status saved =
      applied ? guarded_at(to_std(path), [&] { return save_graph(written, to_path(path)); }) : Status(applied.error());
  if (!saved) {
    refuse(saved.error());
    return false;
  }
  endMerge();
  pushExactly(tr("Name files from the new folder"), also, -1, {});
  undo_.setClean();
  weights_.save(path);
  if (path == path_) noteFile();
  return true;
}

void Document::replace(Graph graph, const QString& path, const QString& name) {
  letGo();
  endMerge();
  graph_ = std::move(graph);
  flat_.reset(graph_);
  validator_.reset(flat_.graph());
  shown_.open(graph_, {});
  selectedNodes_.clear();
  selectedLinks_.clear();
  selectedFrames_.clear();
  activeNode_.clear();
  path_ = path;
  name_ = name;
  allowed_.clear();
  undo_.clear();
  weights_.clear();
  Q_EMIT shownAboutToChange();
  Q_EMIT shownChanged();
  Q_EMIT reset();
  Q_EMIT policyChanged();
  Q_EMIT selectionChanged();
  Q_EMIT fileChanged();
  Q_EMIT modifiedChanged();
  Q_EMIT historyChanged();
  Q_EMIT emptyChanged();
}

void Document::allow(const QString& file) {
  if (allowed_.contains(file)) return;
  allowed_.append(file);
  weights_.extendReach(reach());
  Q_EMIT allowedChanged();
}

void Document::allowChosen(const NodeType& type, const ParamDecl& param, const ParamValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (param.type != ParamDecl::Type::path || !text || type.decl.outputs().empty()) return;
  if (text->empty() || text->starts_with("asset:")) return;
  allowNamed({{}, param.id, *text, type.decl.outputs().front().kind});
  std::vector<AssetRef> outside = assets_outside(flat_.graph(), to_path(folder()));
  std::erase_if(outside, [&](const AssetRef& ref) { return ref.path != *text; });
  if (!path_.isEmpty()) tellOutside(to_q(param.label), outside);
}

void Document::allowNamed(const AssetRef& ref) {
  const QFileInfo file(QDir(folder()), to_q(ref.path));
  allow(ref.kind == Kind::dataset && file.isFile() ? file.absolutePath() : file.absoluteFilePath());
}

Reach Document::reach() const {
  Reach reach(to_path(QFileInfo(path_).absolutePath()));
  for (const QString& more : allowed_) reach.allow(to_path(more));
  return reach;
}

void Document::refuse(const Error& error) {
  Q_EMIT refused(to_q(error.code), reason_text(error), to_q(error.remedy));
}

}  // namespace hw::app
