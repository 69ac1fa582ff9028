// Camera: the pan and zoom of the canvas. screen = canvas · zoom + origin.
#pragma once

#include <QObject>
#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace hw::app {

class Camera : public QObject {
  Q_OBJECT
  Q_PROPERTY(double zoom READ zoom NOTIFY changed)
  Q_PROPERTY(double originX READ originX NOTIFY changed)
  Q_PROPERTY(double originY READ originY NOTIFY changed)
  /// Too small to read: cards show their name, large, and leave out the rest.
  Q_PROPERTY(bool coarse READ coarse NOTIFY coarseChanged)
  /// So large that small round things need more corners.
  Q_PROPERTY(bool close READ close NOTIFY closeChanged)
  /// There are no cards; nodes are drawn as plain rectangles.
  Q_PROPERTY(bool far READ far NOTIFY farChanged)

 public:
  static constexpr double min_zoom = 0.01, max_zoom = 8, coarse_zoom = 0.4, close_zoom = 2.5;
  /// Below these there are no cards: in a small graph cards cost little and look better.
  static constexpr double far_zoom_small = 0.2, far_zoom_large = 0.4;
  using QObject::QObject;

  double zoom() const { return zoom_; }
  double originX() const { return origin_.x(); }
  double originY() const { return origin_.y(); }
  QPointF origin() const { return origin_; }
  bool coarse() const { return zoom_ < coarse_zoom; }
  bool close() const { return zoom_ >= close_zoom; }
  bool far() const { return zoom_ < far_zoom_; }
  void setLargeGraph(bool large);
  /// The part of the canvas that is seen.
  QRectF visible() const { return {toCanvas({0, 0}), viewport_ / zoom_}; }
  void setViewport(QSizeF size);
  void set(double zoom, QPointF origin);

  Q_INVOKABLE QPointF toCanvas(QPointF screen) const { return (screen - origin_) / zoom_; }
  Q_INVOKABLE QPointF toScreen(QPointF canvas) const { return canvas * zoom_ + origin_; }
  Q_INVOKABLE void panBy(QPointF pixels);
  /// The canvas point under `screen` stays there.
  Q_INVOKABLE void zoomAbout(QPointF screen, double factor);
  Q_INVOKABLE void zoomTo(QPointF screen, double zoom) { zoomAbout(screen, zoom / zoom_); }
  /// Shows `rect` with a margin; never above zoom 1.
  Q_INVOKABLE void frame(const QRectF& rect);
  /// Pans so that this point of the canvas comes into the middle.
  Q_INVOKABLE void centreOn(QPointF canvas);
  /// Pans as little as needed to show `rect`.
  Q_INVOKABLE void reveal(const QRectF& rect);

 Q_SIGNALS:
  void changed();
  void coarseChanged();
  void closeChanged();
  void farChanged();

 private:
  double zoom_ = 1;
  double far_zoom_ = far_zoom_small;
  QPointF origin_;
  QSizeF viewport_;
};

}  // namespace hw::app
