// Document: what is selected, and what goes away with it.
#include "app/document/document.h"
#include "app/document/text.h"
#include "engine/graph/groups/scope.h"

namespace hw::app {

void Document::forget(const QStringList& removed) {
  bool touched = false;
  for (const QString& id : removed) {
    if (shown_.graph().find(to_std(id))) continue;
    touched = selectedNodes_.remove(id) || touched;
    if (activeNode_ == id) activeNode_.clear(), touched = true;
  }
  if (touched) Q_EMIT selectionChanged();
}

void Document::forgetFrames() {
  const auto isGone = [this](const QString& id) { return !shown_.graph().frames().contains(to_std(id)); };
  if (selectedFrames_.removeIf(isGone) > 0) Q_EMIT selectionChanged();
}

void Document::select(const QSet<QString>& nodes, const QString& active, const std::vector<Link>& links,
                      const QSet<QString>& frames) {
  if (nodes == selectedNodes_ && active == activeNode_ && links == selectedLinks_ && frames == selectedFrames_) return;
  selectedNodes_ = nodes;
  activeNode_ = active;
  selectedLinks_ = links;
  selectedFrames_ = frames;
  Q_EMIT selectionChanged();
}

void Document::selectNode(const QString& id) {
  if (shown_.graph().find(to_std(id))) select({id}, id);
}

void Document::reveal(const QString& path, bool selects) {
  const NodePlace place(graph_, to_std(path));
  if (!place.node) return;
  const std::string& prefix = place.scope().prefix;
  openGroup(to_q(prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1)));
  const QString node = to_q(place.node->id);
  if (selects) selectNode(node);
  Q_EMIT revealRequested(node);
}

void Document::selectAll() {
  QSet<QString> all;
  for (const auto& [id, node] : shown_.graph().nodes()) all.insert(to_q(id));
  const QString active = all.contains(activeNode_) ? activeNode_ : all.isEmpty() ? QString() : *all.constBegin();
  QSet<QString> frames;
  for (const auto& [id, frame] : shown_.graph().frames()) frames.insert(to_q(id));
  select(all, active, {}, frames);
}

void Document::clearSelection() {
  select({}, {});
}

void Document::deleteSelection() {
  Edits edits;
  for (const Link& link : selectedLinks_) {
    const bool goesWithNode = selectedNodes_.contains(to_q(link.from)) || selectedNodes_.contains(to_q(link.to));
    if (!goesWithNode) edits.push_back(RemoveLink{link});
  }
  const size_t links = edits.size();
  for (const auto& [id, node] : shown_.graph().nodes()) {
    if (selectedNodes_.contains(to_q(id))) edits.push_back(RemoveNode{id});
  }
  const size_t nodes = edits.size() - links;
  for (const QString& id : selectedFrames_) edits.push_back(RemoveFrame{to_std(id)});
  const size_t frames = edits.size() - links - nodes;
  const QString what = nodes == 1    ? tr("node")
                       : nodes > 1   ? tr("%1 nodes").arg(nodes)
                       : frames == 1 ? tr("frame")
                       : frames > 1  ? tr("%1 frames").arg(frames)
                       : links == 1  ? tr("link")
                                     : tr("%1 links").arg(links);
  push(tr("Delete %1").arg(what), edits);
}

}  // namespace hw::app
