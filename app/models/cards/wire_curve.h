// The curve of a wire: a cubic Bézier with level ends, and what hit tests and strips need.
#pragma once

#include <QPointF>
#include <QRectF>
#include <array>
#include <optional>
#include <vector>

namespace hw::app {

/// From an output at the left to an input at the right; when the input lies behind, the handles grow with the distance.
/// A wire that leads far back and down, as from the end of a row to the next one, goes along a lane above its input's
/// row.
struct WireCurve {
  QPointF a, b;                     // ends
  QPointF c, d;                     // handles
  std::optional<double> lane = {};  // y of a level stretch from above b to below a

  WireCurve() = default;
  WireCurve(QPointF from, QPointF to);
  QPointF at(double t) const;
  /// Its direction there, of any length.
  QPointF tangent(double t) const;
  /// Its points moved by `place`, which keeps level lines level: from the canvas to a screen, say.
  template <class Place>
  void map(const Place& place) {
    if (lane) lane = place(QPointF(0, *lane)).y();
    for (QPointF* p : {&a, &b, &c, &d}) *p = place(*p);
  }
  /// Holds the curve: the hull of its four points.
  QRectF bounds() const;
  /// Segments needed so that no chord is further than `tolerance` off, at least 1, at most `most`.
  int segments(double tolerance, int most = 32) const;
  std::vector<QPointF> points(int segments) const;
  /// Distance of `p` from the curve.
  double distance(QPointF p) const;
  /// Where it first crosses this line.
  std::optional<QPointF> crossing(QPointF p, QPointF q) const;

 private:
  /// The cubic that contains `t`, and the parameter in it.
  std::array<QPointF, 4> piece(double& t) const;
};

}  // namespace hw::app
