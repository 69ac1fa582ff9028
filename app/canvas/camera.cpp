#include "app/canvas/camera.h"

#include <algorithm>
#include <cmath>

namespace hw::app {

void Camera::set(double zoom, QPointF origin) {
  const bool was_far = far(), was_coarse = coarse(), was_close = close();
  if (zoom == zoom_ && origin == origin_) return;
  zoom_ = zoom;
  origin_ = origin;
  if (coarse() != was_coarse) Q_EMIT coarseChanged();
  if (close() != was_close) Q_EMIT closeChanged();
  if (far() != was_far) Q_EMIT farChanged();
  Q_EMIT changed();
}

void Camera::setLargeGraph(bool large) {
  const bool was_far = far();
  far_zoom_ = large ? far_zoom_large : far_zoom_small;
  if (far() == was_far) return;
  Q_EMIT farChanged();
  Q_EMIT changed();
}

void Camera::setViewport(QSizeF size) {
  if (size == viewport_) return;
  viewport_ = size;
  Q_EMIT changed();
}

void Camera::panBy(QPointF pixels) {
  set(zoom_, origin_ + pixels);
}

void Camera::zoomAbout(QPointF screen, double factor) {
  if (!std::isfinite(factor) || factor <= 0) return;
  const double zoom = std::clamp(zoom_ * factor, min_zoom, max_zoom);
  set(zoom, screen - toCanvas(screen) * zoom);
}

void Camera::frame(const QRectF& rect) {
  if (rect.isEmpty() || viewport_.isEmpty()) return set(1, QPointF(viewport_.width(), viewport_.height()) / 2);
  constexpr double kMargin = 64;
  const double fit =
      std::min((viewport_.width() - kMargin) / rect.width(), (viewport_.height() - kMargin) / rect.height());
  const double zoom = std::clamp(fit, min_zoom, 1.0);
  const QPointF middle(viewport_.width() / 2, viewport_.height() / 2);
  const QPointF origin = middle - rect.center() * zoom;
  // Whole pixels keep text crisp at life size.
  set(zoom, QPointF(std::round(origin.x()), std::round(origin.y())));
}

void Camera::centreOn(QPointF canvas) {
  const QPointF origin = QPointF(viewport_.width(), viewport_.height()) / 2 - canvas * zoom_;
  set(zoom_, QPointF(std::round(origin.x()), std::round(origin.y())));
}

void Camera::reveal(const QRectF& rect) {
  constexpr double kMargin = 48;
  const QRectF shown(toScreen(rect.topLeft()), rect.size() * zoom_);
  const auto shift = [](double low, double high, double size) {
    if (low < kMargin) return kMargin - low;
    if (high > size - kMargin) return std::max(size - kMargin - high, kMargin - low);
    return 0.0;
  };
  panBy(
      {shift(shown.left(), shown.right(), viewport_.width()), shift(shown.top(), shown.bottom(), viewport_.height())});
}

}  // namespace hw::app
