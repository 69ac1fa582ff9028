#include "app/canvas/wire_curve.h"

#include <QLineF>
#include <algorithm>
#include <cmath>

namespace hw::app {
namespace {

double distance_to_segment(QPointF p, QPointF a, QPointF b) {
  const QPointF d = b - a;
  const double length2 = QPointF::dotProduct(d, d);
  const double t = length2 > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / length2, 0.0, 1.0) : 0.0;
  const QPointF off = p - (a + t * d);
  return std::hypot(off.x(), off.y());
}

}  // namespace

WireCurve::WireCurve(QPointF from, QPointF to) : a(from), b(to) {
  const double dx = to.x() - from.x(), dy = std::abs(to.y() - from.y());
  const double forward = std::max(dx * 0.5, std::min(dy * 0.5, 56.0));
  const double backward = std::min(56.0 - dx * 0.35, 320.0);
  double handle = dx >= 0 ? std::max(forward, std::min(56.0, 0.5 * (dx + dy))) : std::max(backward, forward);
  if (dy < 1 && dx >= 0) handle = dx / 3;
  c = a + QPointF(handle, 0);
  d = b - QPointF(handle, 0);
}

QPointF WireCurve::at(double t) const {
  const double u = 1 - t;
  return u * u * u * a + 3 * u * u * t * c + 3 * u * t * t * d + t * t * t * b;
}

QRectF WireCurve::bounds() const {
  const auto [left, right] = std::minmax({a.x(), b.x(), c.x(), d.x()});
  const auto [top, bottom] = std::minmax({a.y(), b.y(), c.y(), d.y()});
  return {QPointF(left, top), QPointF(right, bottom)};
}

int WireCurve::segments(double tolerance, int most) const {
  const QPointF p = a - 2 * c + d, q = c - 2 * d + b;
  const double bend = std::max(std::hypot(p.x(), p.y()), std::hypot(q.x(), q.y()));
  return std::clamp(static_cast<int>(std::ceil(std::sqrt(0.75 * bend / tolerance))), 1, most);
}

std::vector<QPointF> WireCurve::points(int segments) const {
  std::vector<QPointF> line(static_cast<size_t>(segments) + 1);
  for (int i = 0; i <= segments; ++i) line[static_cast<size_t>(i)] = at(static_cast<double>(i) / segments);
  return line;
}

double WireCurve::distance(QPointF p) const {
  const std::vector<QPointF> line = points(segments(0.5));
  double nearest = distance_to_segment(p, line.front(), line.front());
  for (size_t i = 1; i < line.size(); ++i) nearest = std::min(nearest, distance_to_segment(p, line[i - 1], line[i]));
  return nearest;
}

std::optional<QPointF> WireCurve::crossing(QPointF p, QPointF q) const {
  const std::vector<QPointF> line = points(segments(1.0));
  const QLineF cut(p, q);
  for (size_t i = 1; i < line.size(); ++i) {
    QPointF at;
    if (cut.intersects(QLineF(line[i - 1], line[i]), &at) == QLineF::BoundedIntersection) return at;
  }
  return std::nullopt;
}

}  // namespace hw::app
