#include "app/canvas/held_cards.h"

#include "app/models/graph/selection.h"
#include "engine/core/canvas_grid.h"

namespace hw::app {

void HeldCards::press(const QString& node, const QString& frame) {
  node_ = node;
  frame_ = frame;
}

void HeldCards::take(const GraphModel& graph, const CanvasFrames& frames) {
  nodes_.clear();
  frames_.clear();
  const auto box = [&](const Node& node) {
    const QRectF rect = graph.nodeRect(to_q(node.id));
    return Box{rect.x(), rect.y(), rect.width(), rect.height()};
  };
  const Document& document = graph.document();
  const Placed placed = with_content(document.shown().graph(), selection_of(document), box);
  for (const std::string& id : placed.nodes) nodes_[to_q(id)] = graph.nodeRect(to_q(id)).topLeft();
  for (const std::string& id : placed.frames) frames_[to_q(id)] = frames.rectOf(to_q(id)).topLeft();
}

void HeldCards::follow(GraphModel& graph, QPointF by) const {
  const QPointF start = frame_.isEmpty() ? nodes_.value(node_) : frames_.value(frame_);
  const QPointF wish = start + by;
  const QPointF step = QPointF(to_grid(wish.x()), to_grid(wish.y())) - start;
  QHash<QString, QPointF> nodes = nodes_, frames = frames_;
  for (QPointF& at : nodes) at += step;
  for (QPointF& at : frames) at += step;
  graph.edits()->moveNodes(nodes, frames);
}

void HeldCards::putBack(GraphModel& graph) const {
  graph.edits()->moveNodes(nodes_, frames_);
}

bool HeldCards::isLooseNode(const GraphModel& graph) const {
  const Graph& shown = graph.document().shown().graph();
  const std::string id = to_std(node_);
  return nodes_.size() == 1 && frames_.isEmpty() && shown.links_into(id).empty() && shown.links_from(id).empty();
}

void HeldSide::take(const Frame& frame, const Sides& sides) {
  before_ = frame;
  sides_ = sides;
}

void HeldSide::follow(GraphModel& graph, QPointF by) const {
  const auto snapped = [](double at, double moved) { return to_grid(at + moved) - at; };
  const double dx = snapped(sides_.left ? before_.x : before_.x + before_.width, by.x());
  const double dy = snapped(sides_.top ? before_.y : before_.y + before_.height, by.y());
  graph.frames()->resize(resized(before_, sides_, dx, dy));
}

void HeldSide::putBack(GraphModel& graph) const {
  graph.frames()->resize(before_);
}

}  // namespace hw::app
