// CanvasView: the events of mouse, touchpad and keyboard, and what lies under the pointer.
#include <QCursor>
#include <QKeyEvent>
#include <cmath>

#include "app/canvas/canvas_view.h"

namespace hw::app {
namespace {

constexpr double kWheelNotch = 120;
constexpr double kZoomANotch = 1.2;

}  // namespace

void CanvasView::on_gesture() {
  setKeepMouseGrab(busy());
  if (const auto shape = gestures_.shape()) setCursor(*shape);
  Q_EMIT gestureChanged();
}

void CanvasView::update_hover() {
  const CanvasHit before = hover_;
  hover_ = busy() ? CanvasHit{} : hit(cursor());
  if (hover_ == before) return;
  if (!busy()) setCursor(shape_over(hover_));
  Q_EMIT hoverChanged();
}

void CanvasView::hoverMoveEvent(QHoverEvent* event) {
  gestures_.setCursor(event->position());
  Q_EMIT cursorMoved();
  update_hover();
  event->ignore();
}

void CanvasView::hoverLeaveEvent(QHoverEvent*) {
  hover_ = {};
  Q_EMIT hoverChanged();
}

void CanvasView::mousePressEvent(QMouseEvent* event) {
  if (!graph_) return event->ignore();
  takeFocus();
  gestures_.press(event->position(), event->button(), event->modifiers());
}

void CanvasView::mouseMoveEvent(QMouseEvent* event) {
  gestures_.setCursor(event->position());
  Q_EMIT cursorMoved();
  gestures_.moveTo(event->position());
}

void CanvasView::mouseReleaseEvent(QMouseEvent* event) {
  const auto done = gestures_.release(event->position(), event->button());
  if (!done) return;
  if (*done == Gesture::move) on_geometry();
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
  gestures_.setCursor(event->position());
  gestures_.followCamera();
  Q_EMIT cursorMoved();
  update_hover();
  event->accept();
}

void CanvasView::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space) return QQuickItem::keyPressEvent(event);
  gestures_.setSpace(true);
  if (!busy()) setCursor(Qt::OpenHandCursor);
}

void CanvasView::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space || event->isAutoRepeat()) return QQuickItem::keyReleaseEvent(event);
  gestures_.setSpace(false);
  if (!busy()) setCursor(Qt::ArrowCursor);
}

void CanvasView::focusOutEvent(QFocusEvent* event) {
  gestures_.setSpace(false);
  QQuickItem::focusOutEvent(event);
}

}  // namespace hw::app
