// Document: new, load, save, and what it lets the graph read.
#include <QDir>
#include <QFileInfo>

#include "app/document/document.h"
#include "app/document/text.h"
#include "engine/core/exceptions.h"
#include "engine/io/asset/asset_paths.h"
#include "engine/io/graph/graph_file.h"

namespace hw::app {

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
  file_.note();
  weights_.open(file_.path(), file_.reach());
  return true;
}

void Document::restore(Graph graph, const QString& path, const QString& name, const FileStamp& stamp,
                       const QString& weights) {
  replace(std::move(graph), path, name);
  undo_.resetClean();
  if (file_.exists()) file_.setStamp(stamp);
  if (!weights.isEmpty())
    weights_.recover(path, weights);
  else if (file_.exists())
    weights_.open(path, file_.reach());
}

bool Document::save() {
  if (!file_.exists()) {
    refuse({codes::file_unwritable, "", "The graph has no file yet.", "Choose a name with Save As."});
    return false;
  }
  return saveTo(path());
}

bool Document::saveAs(const QUrl& file) {
  QString path = QFileInfo(file.isLocalFile() ? file.toLocalFile() : file.toString()).absoluteFilePath();
  if (QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".halfwire");
  const Reach before = file_.reach();
  const Edits seen = paths_seen_from(graph_, to_path(folder()), to_path(QFileInfo(path).absolutePath()));
  if (!saveTo(path, seen)) return false;
  file_.move(path);
  allowMoved(before);
  Q_EMIT fileChanged();
  explainOutside(tr("Save As"), assets_outside(flat_.graph(), to_path(folder())));
  return true;
}

void Document::allowMoved(const Reach& before) {
  const Graph& flat = flat_.graph();
  for (const AssetRef& ref : asset_refs(flat)) {
    const auto file = to_path(QDir(folder()).absoluteFilePath(to_q(ref.path)));
    if (!file_.reach().check(file, ref.path) && before.check(file, ref.path)) allow(file_.allowedBy(ref));
  }
}

void Document::explainOutside(const QString& what, const std::vector<AssetRef>& outside) {
  if (!outside.empty()) Q_EMIT explained(what, file_.outside(outside));
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
  if (path == file_.path()) file_.note();
  return true;
}

void Document::replace(Graph graph, const QString& path, const QString& name) {
  letGo();
  endMerge();
  graph_ = std::move(graph);
  flat_.reset(graph_);
  validator_.reset(flat_.graph());
  shown_.open(graph_, {});
  selection_.drop();
  file_.open(path, name);
  undo_.clear();
  weights_.clear();
  Q_EMIT shownAboutToChange();
  Q_EMIT shownChanged();
  Q_EMIT reset();
  Q_EMIT policyChanged();
  Q_EMIT selection_.changed();
  Q_EMIT fileChanged();
  Q_EMIT modifiedChanged();
  Q_EMIT historyChanged();
  Q_EMIT emptyChanged();
}

void Document::allow(const QString& file) {
  if (!file_.allow(file)) return;
  weights_.extendReach(file_.reach());
  Q_EMIT allowedChanged();
}

void Document::allowChosen(const NodeType& type, const ParamDecl& param, const ParamValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (param.type != ParamDecl::Type::path || !text || type.decl.outputs().empty()) return;
  if (text->empty() || text->starts_with("asset:")) return;
  allow(file_.allowedBy({{}, param.id, *text, type.decl.outputs().front().kind}));
  std::vector<AssetRef> outside = assets_outside(flat_.graph(), to_path(folder()));
  std::erase_if(outside, [&](const AssetRef& ref) { return ref.path != *text; });
  if (file_.exists()) explainOutside(to_q(param.label), outside);
}

void Document::refuse(const Error& error) {
  Q_EMIT refused(to_q(error.code), reason_text(error), to_q(error.remedy));
}

}  // namespace hw::app
