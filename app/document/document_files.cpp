// Document: new, load, save, and what it lets the graph read.
#include <QFileInfo>

#include "app/document/document.h"
#include "app/document/text.h"

namespace hw::app {

void Document::newDocument() {
  replace(Graph{}, {});
}

bool Document::load(const QUrl& file, bool asCopy) {
  const QString path = DocumentFile::pathOf(file);
  auto graph = DocumentFile::read(path);
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
  const Result<QString> path = file_.toSave();
  if (path) return saveTo(*path);
  refuse(path.error());
  return false;
}

bool Document::saveAs(const QUrl& file) {
  const QString path = DocumentFile::newPathOf(file);
  const Reach before = file_.reach();
  if (!saveTo(path, file_.seenFrom(graph_, path))) return false;
  file_.move(path);
  for (const QString& lost : file_.lost(flat_.graph(), before)) allow(lost);
  Q_EMIT fileChanged();
  explainOutside(tr("Save As"), file_.assetsOutside(flat_.graph()));
  return true;
}

void Document::explainOutside(const QString& what, const std::vector<AssetRef>& outside) {
  if (!outside.empty()) Q_EMIT explained(what, file_.outside(outside));
}

bool Document::saveTo(const QString& path, const Edits& also) {
  letGo();  // a file holds whole steps
  if (const Status saved = file_.write(path, graph_, also); !saved) {
    refuse(saved.error());
    return false;
  }
  endMerge();
  pushExactly(tr("Name files from the new folder"), also, -1, {});
  undo_.setClean();
  weights_.save(path);
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
  const auto chosen = DocumentFile::chosen(type, param, value);
  if (!chosen) return;
  allow(file_.allowedBy(*chosen));
  if (!file_.exists()) return;
  std::vector<AssetRef> outside = file_.assetsOutside(flat_.graph());
  std::erase_if(outside, [&](const AssetRef& ref) { return ref.path != chosen->path; });
  explainOutside(to_q(param.label), outside);
}

void Document::refuse(const Error& error) {
  Q_EMIT refused(to_q(error.code), reason_text(error), to_q(error.remedy));
}

}  // namespace hw::app
