#include "app/document/document_selection.h"

#include "app/document/text.h"

namespace hw::app {

void DocumentSelection::select(const QSet<QString>& nodes, const QString& active, const std::vector<Link>& links,
                               const QSet<QString>& frames) {
  if (nodes == nodes_ && active == active_ && links == links_ && frames == frames_) return;
  nodes_ = nodes;
  active_ = active;
  links_ = links;
  frames_ = frames;
  Q_EMIT changed();
}

void DocumentSelection::selectNode(const QString& id) {
  if (shown_.graph().find(to_std(id))) select({id}, id);
}

void DocumentSelection::selectAll() {
  QSet<QString> all;
  for (const auto& [id, node] : shown_.graph().nodes()) all.insert(to_q(id));
  const QString active = all.contains(active_) ? active_ : all.isEmpty() ? QString() : *all.constBegin();
  QSet<QString> frames;
  for (const auto& [id, frame] : shown_.graph().frames()) frames.insert(to_q(id));
  select(all, active, {}, frames);
}

void DocumentSelection::drop() {
  nodes_.clear();
  links_.clear();
  frames_.clear();
  active_.clear();
}

DocumentSelection::Deletion DocumentSelection::deletion() const {
  Edits edits;
  for (const Link& link : links_) {
    const bool goesWithNode = nodes_.contains(to_q(link.from)) || nodes_.contains(to_q(link.to));
    if (!goesWithNode) edits.push_back(RemoveLink{link});
  }
  const size_t links = edits.size();
  for (const auto& [id, node] : shown_.graph().nodes()) {
    if (nodes_.contains(to_q(id))) edits.push_back(RemoveNode{id});
  }
  const size_t nodes = edits.size() - links;
  for (const QString& id : frames_) edits.push_back(RemoveFrame{to_std(id)});
  const size_t frames = edits.size() - links - nodes;
  const QString what = nodes == 1    ? tr("node")
                       : nodes > 1   ? tr("%1 nodes").arg(nodes)
                       : frames == 1 ? tr("frame")
                       : frames > 1  ? tr("%1 frames").arg(frames)
                       : links == 1  ? tr("link")
                                     : tr("%1 links").arg(links);
  return {what, std::move(edits)};
}

void DocumentSelection::forget(const QStringList& removed) {
  bool touched = false;
  for (const QString& id : removed) {
    if (shown_.graph().find(to_std(id))) continue;
    touched = nodes_.remove(id) || touched;
    if (active_ == id) active_.clear(), touched = true;
  }
  if (touched) Q_EMIT changed();
}

void DocumentSelection::forgetFrames() {
  const auto isGone = [this](const QString& id) { return !shown_.graph().frames().contains(to_std(id)); };
  if (frames_.removeIf(isGone) > 0) Q_EMIT changed();
}

void DocumentSelection::forgetLinks() {
  const auto isGone = [this](const Link& link) { return !shown_.graph().has_link(link); };
  if (std::erase_if(links_, isGone) > 0) Q_EMIT changed();
}

}  // namespace hw::app
