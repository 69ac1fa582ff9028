#include "app/canvas/canvas_gestures.h"

#include <algorithm>
#include <cmath>

#include "app/models/graph/merge.h"

namespace hw::app {
namespace {

constexpr double kDragStart = 4;  // screen pixels
constexpr double kSnap = 24;      // screen pixels within which a wire finds a socket
constexpr double kBorder = 32;    // screen pixels at the border that pan

bool adds(Qt::KeyboardModifiers modifiers) {
  return modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
}

}  // namespace

CanvasGestures::CanvasGestures(const CanvasParts& parts, WireDrag& drag) : parts_(parts), drag_(drag) {
  auto_pan_.setInterval(16);
  connect(&auto_pan_, &QTimer::timeout, this, &CanvasGestures::pan_at_border);
}

void CanvasGestures::set(Gesture gesture) {
  if (gesture == gesture_) return;
  gesture_ = gesture;
  const bool can_leave = gesture == Gesture::wire || gesture == Gesture::move || gesture == Gesture::box;
  can_leave ? auto_pan_.start() : auto_pan_.stop();
  Q_EMIT changed();
}

std::optional<Qt::CursorShape> CanvasGestures::shape() const {
  if (gesture_ == Gesture::pan) return Qt::ClosedHandCursor;
  if (gesture_ == Gesture::cut || gesture_ == Gesture::reroute) return Qt::CrossCursor;
  if (gesture_ == Gesture::none) return space_ ? Qt::OpenHandCursor : Qt::ArrowCursor;
  return std::nullopt;
}

int CanvasGestures::ownSteps() const {
  return gesture_ == Gesture::move ? merge_move : gesture_ == Gesture::resize ? merge_resize : -1;
}

bool CanvasGestures::clicked() const {
  const QPointF by = cursor_ - press_;
  return std::hypot(by.x(), by.y()) < kDragStart;
}

void CanvasGestures::press(QPointF at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers) {
  if (busy()) return;
  if (drag_.active()) drag_.finish();
  cursor_ = press_ = last_ = at;
  press_canvas_ = parts_.camera.toCanvas(press_);
  press_button_ = button;
  const bool left = button == Qt::LeftButton;
  if (button == Qt::MiddleButton || (left && (space_ || (modifiers & Qt::AltModifier)))) {
    set(Gesture::pan);
  } else if (button == Qt::RightButton) {
    set(modifiers & Qt::ControlModifier ? Gesture::cut
        : modifiers & Qt::ShiftModifier ? Gesture::reroute
                                        : Gesture::menu);
  } else {
    press_left(hit_at(*graph_, parts_, press_), modifiers);
  }
}

void CanvasGestures::press_left(const CanvasHit& hit, Qt::KeyboardModifiers modifiers) {
  switch (hit.what) {
    case CanvasHit::What::socket:
      set(Gesture::wire);
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
      return set(Gesture::box);
  }
}

void CanvasGestures::press_node(const QString& node, bool add) {
  QSet<QString> chosen = document().selection().nodes();
  const QSet<QString>& frames = document().selection().frames();
  held_.press(node, {});
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
  set(Gesture::node_pressed);
}

void CanvasGestures::press_wire(int wire, bool add) {
  const Link link = parts_.wires.wires()[static_cast<size_t>(wire)].link;
  std::vector<Link> links = add ? document().selection().links() : std::vector<Link>();
  const auto found = std::find(links.begin(), links.end(), link);
  found == links.end() ? links.push_back(link) : void(links.erase(found));
  document().select(add ? document().selection().nodes() : QSet<QString>(), add ? document().activeNode() : QString(),
                    links);
}

void CanvasGestures::press_frame(const FrameHit& hit, bool add) {
  held_.press({}, hit.id);
  QSet<QString> frames = document().selection().frames();
  const bool was_chosen = frames.contains(hit.id);
  narrow_on_release_ = false;
  if (add && was_chosen) {
    frames.remove(hit.id);
    return document().select(document().selection().nodes(), document().activeNode(), {}, frames);
  }
  if (hit.sides.any()) {
    side_.take(document().shown().graph().frames().at(to_std(hit.id)), hit.sides);
    document().select({}, {}, {}, {hit.id});
    return set(Gesture::resize);
  }
  if (add || was_chosen) {
    narrow_on_release_ = !add && frames.size() + document().selection().nodes().size() > 1;
    frames.insert(hit.id);
    document().select(document().selection().nodes(), document().activeNode(), {}, frames);
  } else {
    document().select({}, {}, {}, {hit.id});
  }
  set(Gesture::node_pressed);
}

void CanvasGestures::moveTo(QPointF at) {
  cursor_ = at;
  if (gesture_ == Gesture::node_pressed && !clicked()) {
    set(Gesture::move);
    held_.take(*graph_, parts_.frames);
  }
  if (gesture_ == Gesture::pan) parts_.camera.panBy(cursor_ - last_);
  last_ = cursor_;
  drag_to_cursor();
}

void CanvasGestures::followCamera() {
  if (gesture_ != Gesture::pan) drag_to_cursor();
}

void CanvasGestures::drag_to_cursor() {
  if (gesture_ == Gesture::move) follow_move();
  if (gesture_ == Gesture::resize) side_.follow(*graph_, moved());
  if (gesture_ == Gesture::wire) drag_.moveTo(parts_.camera.toCanvas(cursor_), kSnap / parts_.camera.zoom());
  if (gesture_ == Gesture::box || gesture_ == Gesture::reroute || gesture_ == Gesture::cut) Q_EMIT drawn();
}

void CanvasGestures::follow_move() {
  held_.follow(*graph_, moved());
  const int before = drop_wire_;
  const Camera& camera = parts_.camera;
  drop_wire_ = held_.isLooseNode(*graph_) ? parts_.wires.at(camera.toCanvas(cursor_), kSnap / camera.zoom()) : -1;
  if (drop_wire_ != before) Q_EMIT dropWireChanged();
}

void CanvasGestures::finish_move() {
  const int wire = std::exchange(drop_wire_, -1);
  if (wire >= 0) {
    const Link link = parts_.wires.wires()[static_cast<size_t>(wire)].link;
    graph_->edits()->insertIntoLink(held_.node(), link);
  }
  graph_->edits()->endGesture();
}

void CanvasGestures::finish_box() {
  const QRectF area(parts_.camera.toCanvas(box().topLeft()), parts_.camera.toCanvas(box().bottomRight()));
  QSet<QString> chosen = box_base_;
  QString last = document().activeNode();
  for (const int row : parts_.nodes.rows(area)) {
    last = graph_->idAt(row);
    chosen.insert(last);
  }
  if (!chosen.contains(last)) last.clear();
  document().select(chosen, last, {}, box_base_frames_ | parts_.frames.inside(area));
}

void CanvasGestures::finish_cut() {
  std::vector<Link> cut;
  for (const CrossedLink& crossed :
       parts_.wires.crossing(parts_.camera.toCanvas(press_), parts_.camera.toCanvas(cursor_)))
    cut.push_back(crossed.link);
  if (!cut.empty()) graph_->edits()->removeLinks(cut);
}

void CanvasGestures::finish_reroute() {
  std::vector<CrossedLink> crossed =
      parts_.wires.crossing(parts_.camera.toCanvas(press_), parts_.camera.toCanvas(cursor_));
  for (CrossedLink& c : crossed) c.x -= CardMetrics::dot / 2, c.y -= CardMetrics::dot / 2;
  if (!crossed.empty()) graph_->edits()->reroute(crossed);
}

void CanvasGestures::finish_wire(bool clicked) {
  drag_.moveTo(parts_.camera.toCanvas(cursor_), kSnap / parts_.camera.zoom());
  if (clicked) return drag_.finish();  // a click on a socket is no wire
  if (!drag_.drop())
    Q_EMIT searchRequested(parts_.camera.toCanvas(cursor_), drag_.node(), drag_.socket(), drag_.fromOutput());
}

void CanvasGestures::release_menu() {
  const CanvasHit under = hit_at(*graph_, parts_, press_);
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

std::optional<CanvasGestures::Gesture> CanvasGestures::release(QPointF at, Qt::MouseButton button) {
  if (button != press_button_) return std::nullopt;
  cursor_ = at;
  const bool click = clicked();
  const Gesture done = gesture_;
  if (done == Gesture::box) click ? document().select(box_base_, {}, {}, box_base_frames_) : finish_box();
  set(Gesture::none);
  if (done == Gesture::node_pressed && narrow_on_release_)
    held_.frame().isEmpty() ? document().selectNode(held_.node()) : graph_->frames()->select(held_.frame());
  if (done == Gesture::move) finish_move();
  if (done == Gesture::resize) graph_->edits()->endGesture();
  if (done == Gesture::cut) finish_cut();
  if (done == Gesture::reroute && !click) finish_reroute();
  if ((done == Gesture::menu || done == Gesture::reroute) && click) release_menu();
  if (done == Gesture::wire) finish_wire(click);
  return done;
}

bool CanvasGestures::cancel() {
  const Gesture was = gesture_;
  const bool wire_waits = drag_.active();
  drag_.finish();
  drop_wire_ = -1;
  if (was == Gesture::none) return wire_waits;
  if (was == Gesture::move && graph_) {
    // The moves are one step of history so far: put it back and forget it.
    held_.putBack(*graph_);
    graph_->edits()->endGesture();
  }
  if (was == Gesture::resize && graph_) {
    side_.putBack(*graph_);
    graph_->edits()->endGesture();
  }
  set(Gesture::none);
  return true;
}

void CanvasGestures::pan_at_border() {
  const auto speed = [](double at, double size) {
    if (at < kBorder) return std::min(kBorder - at, 2 * kBorder) * 0.4;
    if (at > size - kBorder) return -std::min(at - (size - kBorder), 2 * kBorder) * 0.4;
    return 0.0;
  };
  const QPointF by(speed(cursor_.x(), view_.width()), speed(cursor_.y(), view_.height()));
  if (by.isNull() || !auto_pans_ || clicked()) return;
  parts_.camera.panBy(by);
  if (gesture_ == Gesture::box) press_ += by;  // the box stays where it began on the canvas
  drag_to_cursor();
}

}  // namespace hw::app
