// ViewportItem's mouse and wheel.
#include <QCursor>
#include <cmath>

#include "app/viewport/viewport_item.h"

namespace hw::viewport {
namespace {

constexpr qreal kSplitReach = 6;        // pixels either side of the line where it can be taken
constexpr float kDegreesAHeight = 240;  // orbit: a drag over the item's height
constexpr double kZoomANotch = 1.18;
constexpr double kPixelsANotch = 60;  // touchpads that report pixels instead of angles

}  // namespace

bool ViewportItem::nearSplit(qreal x) const {
  return hasMesh() && hasField() && mode_ == View::field && std::abs(x - split_ * width()) <= kSplitReach;
}

void ViewportItem::mousePressEvent(QMouseEvent* event) {
  forceActiveFocus(Qt::MouseFocusReason);
  drag_at_ = event->position();
  if (event->button() == Qt::MiddleButton || event->modifiers() & Qt::ShiftModifier)
    drag_ = Drag::Pan;
  else
    drag_ = nearSplit(drag_at_.x()) ? Drag::Split : Drag::Orbit;
  event->accept();
}

void ViewportItem::mouseMoveEvent(QMouseEvent* event) {
  const QPointF moved = event->position() - drag_at_;
  drag_at_ = event->position();
  if (height() <= 0 || width() <= 0) return;
  const auto right = static_cast<float>(moved.x() / height());
  const auto down = static_cast<float>(moved.y() / height());
  switch (drag_) {
    case Drag::None:
      return;
    case Drag::Split:
      setSplit(drag_at_.x() / width());
      return;
    case Drag::Orbit: {
      // Close up a full turn a height would race past: slow down with the magnification.
      const float pace = kDegreesAHeight / std::sqrt(camera_.magnification);
      camera_.orbit(-right * pace, down * pace);
      break;
    }
    case Drag::Pan:
      camera_.pan(-right, down);
      break;
  }
  cameraMoved();
}

void ViewportItem::mouseReleaseEvent(QMouseEvent*) {
  drag_ = Drag::None;
}

void ViewportItem::mouseUngrabEvent() {
  drag_ = Drag::None;
}

void ViewportItem::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) frameMesh();
}

void ViewportItem::hoverMoveEvent(QHoverEvent* event) {
  setCursor(nearSplit(event->position().x()) ? Qt::SplitHCursor : Qt::ArrowCursor);
  event->ignore();  // items below may want to know as well
}

void ViewportItem::wheelEvent(QWheelEvent* event) {
  const double angle = event->angleDelta().y() / 120.0;
  const double notches = angle != 0 ? angle : event->pixelDelta().y() / kPixelsANotch;
  if (notches == 0 || height() <= 0) return;
  const auto x = static_cast<float>((event->position().x() - width() / 2) / height());
  const auto y = static_cast<float>((height() / 2 - event->position().y()) / height());
  camera_.zoom(static_cast<float>(std::pow(kZoomANotch, notches)), x, y);
  cameraMoved();
  event->accept();
}

}  // namespace hw::viewport
