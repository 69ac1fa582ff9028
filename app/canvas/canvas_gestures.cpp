// CanvasView: the gestures. A press decides what it may become, movement decides what it is, a release ends it.
#include <QCursor>
#include <QKeyEvent>
#include <cmath>

#include "app/canvas/canvas_view.h"
#include "app/models/graph/merge.h"

namespace hw::app {
namespace {

constexpr double kDragStart = 4;  // screen pixels
constexpr double kSnap = 24;      // screen pixels within which a wire finds a socket
constexpr double kBorder = 32;    // screen pixels at the border that pan
constexpr double kWheelNotch = 120;
constexpr double kZoomANotch = 1.2;

double to_grid(double v) {
  return std::round(v / kMoveGrid) * kMoveGrid;
}

bool adds(Qt::KeyboardModifiers modifiers) {
  return modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
}

}  // namespace

void CanvasView::set_gesture(Gesture gesture) {
  if (gesture == gesture_) return;
  gesture_ = gesture;
  setKeepMouseGrab(gesture != Gesture::none);
  const bool can_leave = gesture == Gesture::wire || gesture == Gesture::move || gesture == Gesture::box;
  can_leave ? auto_pan_.start() : auto_pan_.stop();
  if (gesture == Gesture::pan) setCursor(Qt::ClosedHandCursor);
  if (gesture == Gesture::cut || gesture == Gesture::reroute) setCursor(Qt::CrossCursor);
  if (gesture == Gesture::none) setCursor(space_ ? Qt::OpenHandCursor : Qt::ArrowCursor);
  Q_EMIT gestureChanged();
}

int CanvasView::own_steps() const {
  return gesture_ == Gesture::move ? merge_move : gesture_ == Gesture::resize ? merge_resize : -1;
}

void CanvasView::mousePressEvent(QMouseEvent* event) {
  if (!graph_) return event->ignore();
  takeFocus();
  if (busy()) return;  // a second button changes nothing
  if (drag_.active()) drag_.finish();
  cursor_ = press_ = last_ = event->position();
  press_canvas_ = camera_.toCanvas(press_);
  press_modifiers_ = event->modifiers();
  press_button_ = event->button();
  const bool left = event->button() == Qt::LeftButton;
  if (event->button() == Qt::MiddleButton || (left && (space_ || (press_modifiers_ & Qt::AltModifier)))) {
    set_gesture(Gesture::pan);
  } else if (event->button() == Qt::RightButton) {
    set_gesture(press_modifiers_ & Qt::ControlModifier ? Gesture::cut
                : press_modifiers_ & Qt::ShiftModifier ? Gesture::reroute
                                                       : Gesture::menu);
  } else {
    press_left(hit(press_), press_modifiers_);
  }
}

void CanvasView::press_left(const CanvasHit& hit, Qt::KeyboardModifiers modifiers) {
  switch (hit.what) {
    case CanvasHit::What::socket:
      set_gesture(Gesture::wire);
      drag_.start({hit.node.toStdString(), hit.socket}, hit.is_output, modifiers & Qt::ControlModifier, press_canvas_);
      return;
    case CanvasHit::What::node:
      if ((modifiers & Qt::ControlModifier) && (modifiers & Qt::ShiftModifier)) return Q_EMIT viewRequested(hit.node);
      return press_node(hit.node, adds(modifiers));
    case CanvasHit::What::wire:
      return press_wire(hit.wire, adds(modifiers));
    case CanvasHit::What::frame:
      return press_frame(hit.frame, adds(modifiers));
    case CanvasHit::What::empty:
      box_base_ = adds(modifiers) ? document().selection().nodes() : QSet<QString>();
      box_base_frames_ = adds(modifiers) ? document().selection().frames() : QSet<QString>();
      return set_gesture(Gesture::box);
  }
}

void CanvasView::press_node(const QString& node, bool add) {
  QSet<QString> chosen = document().selection().nodes();
  const QSet<QString>& frames = document().selection().frames();
  pressed_node_ = node;
  pressed_frame_.clear();
  narrow_on_release_ = false;
  if (add && chosen.contains(node)) {
    chosen.remove(node);
    document().select(chosen, chosen.contains(document().activeNode()) ? document().activeNode() : QString(), {},
                      frames);
    return;
  }
  if (add || chosen.contains(node)) {
    // A press on one of many may begin to move them all; a click without a move means this one alone.
    narrow_on_release_ = !add && chosen.size() + frames.size() > 1;
    chosen.insert(node);
    document().select(chosen, node, {}, frames);
  } else {
    document().selectNode(node);
  }
  set_gesture(Gesture::node_pressed);
}

void CanvasView::press_wire(int wire, bool add) {
  const Link link = wires_.wires()[static_cast<size_t>(wire)].link;
  std::vector<Link> links = add ? document().selection().links() : std::vector<Link>();
  const auto found = std::find(links.begin(), links.end(), link);
  found == links.end() ? links.push_back(link) : void(links.erase(found));
  document().select(add ? document().selection().nodes() : QSet<QString>(), add ? document().activeNode() : QString(),
                    links);
}

void CanvasView::mouseMoveEvent(QMouseEvent* event) {
  cursor_ = event->position();
  Q_EMIT cursorMoved();
  const QPointF moved = cursor_ - press_;
  const bool beyond = std::hypot(moved.x(), moved.y()) >= kDragStart;
  if (gesture_ == Gesture::node_pressed && beyond) begin_move();
  if (gesture_ == Gesture::pan) camera_.panBy(cursor_ - last_);
  last_ = cursor_;
  drag_to_cursor();
}

void CanvasView::drag_to_cursor() {
  if (gesture_ == Gesture::move) follow_move();
  if (gesture_ == Gesture::resize) follow_resize();
  if (gesture_ == Gesture::wire) drag_.moveTo(camera_.toCanvas(cursor_), kSnap / camera_.zoom());
  if (gesture_ == Gesture::box || gesture_ == Gesture::reroute || gesture_ == Gesture::cut) Q_EMIT gestureChanged();
}

void CanvasView::follow_move() {
  const QPointF start =
      pressed_frame_.isEmpty() ? move_start_.value(pressed_node_) : frame_start_.value(pressed_frame_);
  const QPointF wish = start + camera_.toCanvas(cursor_) - press_canvas_;
  const QPointF by = QPointF(to_grid(wish.x()), to_grid(wish.y())) - start;
  QHash<QString, QPointF> now = move_start_, frames = frame_start_;
  for (QPointF& at : now) at += by;
  for (QPointF& at : frames) at += by;
  graph_->edits()->moveNodes(now, frames);
  const Graph& graph = document().shown().graph();
  const std::string id = pressed_node_.toStdString();
  const int before = drop_wire_;
  const bool loose =
      move_start_.size() == 1 && frame_start_.isEmpty() && graph.links_into(id).empty() && graph.links_from(id).empty();
  drop_wire_ = loose ? wires_.at(camera_.toCanvas(cursor_), kSnap / camera_.zoom()) : -1;
  if (drop_wire_ != before) Q_EMIT hoverChanged();
}

void CanvasView::finish_move() {
  const int wire = std::exchange(drop_wire_, -1);
  if (wire >= 0) {
    const Link link = wires_.wires()[static_cast<size_t>(wire)].link;
    graph_->edits()->insertIntoLink(pressed_node_, link);
  }
  graph_->edits()->endGesture();
}

void CanvasView::finish_box() {
  const QRectF area(camera_.toCanvas(box().topLeft()), camera_.toCanvas(box().bottomRight()));
  QSet<QString> chosen = box_base_;
  QString last = document().activeNode();
  for (const int row : grid_.rows(area)) {
    last = graph_->idAt(row);
    chosen.insert(last);
  }
  if (!chosen.contains(last)) last.clear();
  document().select(chosen, last, {}, box_base_frames_ | frames_.inside(area));
}

void CanvasView::finish_cut() {
  std::vector<Link> cut;
  for (const CrossedLink& crossed : wires_.crossing(camera_.toCanvas(press_), camera_.toCanvas(cursor_)))
    cut.push_back(crossed.link);
  if (!cut.empty()) graph_->edits()->removeLinks(cut);
}

void CanvasView::finish_reroute() {
  std::vector<CrossedLink> crossed = wires_.crossing(camera_.toCanvas(press_), camera_.toCanvas(cursor_));
  for (CrossedLink& c : crossed) c.x -= CardMetrics::dot / 2, c.y -= CardMetrics::dot / 2;
  if (!crossed.empty()) graph_->edits()->reroute(crossed);
}

void CanvasView::release_menu() {
  const CanvasHit under = hit(press_);
  if (under.what == CanvasHit::What::node || under.what == CanvasHit::What::socket) {
    if (!document().selection().nodes().contains(under.node)) document().selectNode(under.node);
    Q_EMIT nodeMenuRequested(under.node);
  } else if (under.what == CanvasHit::What::frame) {
    if (!document().selection().frames().contains(under.frame.id)) graph_->frames()->select(under.frame.id);
    Q_EMIT frameMenuRequested(under.frame.id);
  } else {
    Q_EMIT searchRequested(press_canvas_, {}, {}, false);
  }
}

void CanvasView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != press_button_) return;  // a second button
  cursor_ = event->position();
  const QPointF moved = cursor_ - press_;
  const bool clicked = std::hypot(moved.x(), moved.y()) < kDragStart;
  const Gesture done = gesture_;
  if (done == Gesture::box) clicked ? document().select(box_base_, {}, {}, box_base_frames_) : finish_box();
  set_gesture(Gesture::none);
  if (done == Gesture::node_pressed && narrow_on_release_)
    pressed_frame_.isEmpty() ? document().selectNode(pressed_node_) : graph_->frames()->select(pressed_frame_);
  if (done == Gesture::move) finish_move();
  if (done == Gesture::resize) graph_->edits()->endGesture();
  if (done == Gesture::cut) finish_cut();
  if (done == Gesture::reroute && !clicked) finish_reroute();
  if ((done == Gesture::menu || done == Gesture::reroute) && clicked) release_menu();
  if (done == Gesture::wire) {
    drag_.moveTo(camera_.toCanvas(cursor_), kSnap / camera_.zoom());
    // A click on a socket is no wire.
    if (clicked) {
      drag_.finish();
    } else if (!drag_.drop()) {
      Q_EMIT searchRequested(camera_.toCanvas(cursor_), drag_.node(), drag_.socket(), drag_.fromOutput());
    }
  }
  if (done == Gesture::move) on_geometry();
  update_hover();
}

void CanvasView::mouseDoubleClickEvent(QMouseEvent* event) {
  const CanvasHit under = hit(event->position());
  const bool is_card = under.what == CanvasHit::What::node && !under.field;
  if (event->button() == Qt::LeftButton && is_card) return Q_EMIT nodeDoubleClicked(under.node, event->position());
  if (event->button() == Qt::LeftButton && under.what == CanvasHit::What::frame && !under.frame.sides.any())
    return frames_.edit(under.frame.id, under.frame.text);
  if (event->button() != Qt::LeftButton || under.what != CanvasHit::What::empty) return mousePressEvent(event);
  Q_EMIT searchRequested(camera_.toCanvas(event->position()), {}, {}, false);
}

void CanvasView::mouseUngrabEvent() {
  // A wire that waits for the search has let go of the mouse already.
  if (busy()) cancelGesture();
}

bool CanvasView::cancelGesture() {
  const Gesture was = gesture_;
  const bool wire_waits = drag_.active();
  drag_.finish();
  drop_wire_ = -1;
  if (was == Gesture::none) return wire_waits;
  if (was == Gesture::move && graph_) {
    // The moves are one step of history so far: put it back and forget it.
    graph_->edits()->moveNodes(move_start_, frame_start_);
    graph_->edits()->endGesture();
  }
  if (was == Gesture::resize && graph_) {
    graph_->frames()->resize(resize_from_);
    graph_->edits()->endGesture();
  }
  set_gesture(Gesture::none);
  return true;
}

void CanvasView::auto_pan() {
  const auto speed = [](double at, double size) {
    if (at < kBorder) return std::min(kBorder - at, 2 * kBorder) * 0.4;
    if (at > size - kBorder) return -std::min(at - (size - kBorder), 2 * kBorder) * 0.4;
    return 0.0;
  };
  const QPointF by(speed(cursor_.x(), width()), speed(cursor_.y(), height()));
  if (by.isNull() || !auto_pans_) return;
  const QPointF moved = cursor_ - press_;
  if (std::hypot(moved.x(), moved.y()) < kDragStart) return;
  camera_.panBy(by);
  if (gesture_ == Gesture::box) press_ += by;  // the box stays where it began on the canvas
  drag_to_cursor();
}

void CanvasView::wheelEvent(QWheelEvent* event) {
  const bool touchpad = event->device() && event->device()->type() == QInputDevice::DeviceType::TouchPad;
  const QPointF pixels = event->pixelDelta();
  const QPointF angle = event->angleDelta();
  if (event->modifiers() & Qt::ControlModifier ||
      (!touchpad && pixels.isNull() && !(event->modifiers() & Qt::ShiftModifier))) {
    const double notches = (angle.y() != 0 ? angle.y() : pixels.y()) / kWheelNotch;
    camera_.zoomAbout(event->position(), std::pow(kZoomANotch, notches));
  } else {
    QPointF by = pixels.isNull() ? angle / kWheelNotch * 48 : pixels;
    if (event->modifiers() & Qt::ShiftModifier && by.x() == 0) by = QPointF(by.y(), 0);
    camera_.panBy(by);
  }
  cursor_ = event->position();
  if (gesture_ != Gesture::pan) drag_to_cursor();
  Q_EMIT cursorMoved();
  update_hover();
  event->accept();
}

void CanvasView::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space) return QQuickItem::keyPressEvent(event);
  space_ = true;
  if (!busy()) setCursor(Qt::OpenHandCursor);
}

void CanvasView::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space || event->isAutoRepeat()) return QQuickItem::keyReleaseEvent(event);
  space_ = false;
  if (!busy()) setCursor(Qt::ArrowCursor);
}

void CanvasView::focusOutEvent(QFocusEvent* event) {
  space_ = false;
  QQuickItem::focusOutEvent(event);
}

}  // namespace hw::app
