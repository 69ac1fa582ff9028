// The curve of a wire: a cubic Bézier with level ends, and what hit tests and strips need of it.
#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>
#include <vector>

namespace hw::app {

/// From an output at the left to an input at the right; when the input lies behind, the handles grow with the distance.
struct WireCurve {
  QPointF a, b;  // ends
  QPointF c, d;  // handles

  WireCurve() = default;
  WireCurve(QPointF from, QPointF to);
  QPointF at(double t) const;
  /// Holds the curve: the hull of its four points.
  QRectF bounds() const;
  /// Segments needed so that no chord is further than `tolerance` off, at least 1, at most `most`.
  int segments(double tolerance, int most = 32) const;
  std::vector<QPointF> points(int segments) const;
  /// Distance of `p` from the curve.
  double distance(QPointF p) const;
  /// Where it first crosses this line.
  std::optional<QPointF> crossing(QPointF p, QPointF q) const;
};

}  // namespace hw::app
