// CanvasView: the gestures that take a frame: by its title, or by a side.
#include <QCursor>
#include <cmath>

#include "app/canvas/canvas_view.h"
#include "app/models/graph/selection.h"

namespace hw::app {

void CanvasView::press_frame(const FrameHit& hit, bool add) {
  pressed_node_.clear();
  pressed_frame_ = hit.id;
  QSet<QString> frames = document().selection().frames();
  const bool was_chosen = frames.contains(hit.id);
  narrow_on_release_ = false;
  if (add && was_chosen) {
    frames.remove(hit.id);
    return document().select(document().selection().nodes(), document().activeNode(), {}, frames);
  }
  if (hit.sides.any()) {
    resize_from_ = document().shown().graph().frames().at(to_std(hit.id));
    resize_sides_ = hit.sides;
    document().select({}, {}, {}, {hit.id});
    return set_gesture(Gesture::resize);
  }
  if (add || was_chosen) {
    narrow_on_release_ = !add && frames.size() + document().selection().nodes().size() > 1;
    frames.insert(hit.id);
    document().select(document().selection().nodes(), document().activeNode(), {}, frames);
  } else {
    document().select({}, {}, {}, {hit.id});
  }
  set_gesture(Gesture::node_pressed);
}

void CanvasView::begin_move() {
  set_gesture(Gesture::move);
  move_start_.clear();
  frame_start_.clear();
  const auto box = [this](const Node& node) {
    const QRectF rect = graph_->nodeRect(to_q(node.id));
    return Box{rect.x(), rect.y(), rect.width(), rect.height()};
  };
  const Placed placed = with_content(document().shown().graph(), selection_of(document()), box);
  for (const std::string& id : placed.nodes) move_start_[to_q(id)] = graph_->nodeRect(to_q(id)).topLeft();
  for (const std::string& id : placed.frames) frame_start_[to_q(id)] = frames_.rectOf(to_q(id)).topLeft();
}

void CanvasView::follow_resize() {
  const QPointF by = camera_.toCanvas(cursor_) - press_canvas_;
  // The side that is moved comes to lie on the grid.
  const auto snapped = [](double at, double moved) { return std::round((at + moved) / kMoveGrid) * kMoveGrid - at; };
  const Frame& from = resize_from_;
  const double dx = snapped(resize_sides_.left ? from.x : from.x + from.width, by.x());
  const double dy = snapped(resize_sides_.top ? from.y : from.y + from.height, by.y());
  graph_->frames()->resize(resized(from, resize_sides_, dx, dy));
}

Qt::CursorShape CanvasView::cursor_over(const CanvasHit& hit) const {
  if (hit.what == CanvasHit::What::socket) return Qt::CrossCursor;
  if (hit.what != CanvasHit::What::frame) return Qt::ArrowCursor;
  const Sides& s = hit.frame.sides;
  if ((s.left && s.top) || (s.right && s.bottom)) return Qt::SizeFDiagCursor;
  if ((s.right && s.top) || (s.left && s.bottom)) return Qt::SizeBDiagCursor;
  if (s.left || s.right) return Qt::SizeHorCursor;
  return s.any() ? Qt::SizeVerCursor : Qt::ArrowCursor;
}

}  // namespace hw::app
