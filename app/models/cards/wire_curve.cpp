#include "app/models/cards/wire_curve.h"

#include <QLineF>
#include <algorithm>
#include <cmath>

namespace hw::app {
namespace {

// Canvas units.
constexpr double kFarBack = 600, kFarDown = 150;  // of a wire that gets a lane
constexpr double kAbove = 100;                    // its input: about the middle between two rows of cards
constexpr double kTurn = 64;

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
  if (dx < -kFarBack && to.y() - from.y() > kFarDown) {
    lane = to.y() - kAbove;
    handle = kTurn;
  }
  c = a + QPointF(handle, 0);
  d = b - QPointF(handle, 0);
}

std::array<QPointF, 4> WireCurve::piece(double& t) const {
  if (!lane) return {a, c, d, b};
  const QPointF below(a.x(), *lane), above(b.x(), *lane), third = (above - below) / 3;
  t *= 3;
  if (t < 1) return {a, c, below + (c - a), below};
  t -= 1;
  if (t < 1) return {below, below + third, above - third, above};
  t -= 1;
  return {above, above + (d - b), d, b};
}

QPointF WireCurve::at(double t) const {
  const auto [p, q, r, s] = piece(t);
  const double u = 1 - t;
  return u * u * u * p + 3 * u * u * t * q + 3 * u * t * t * r + t * t * t * s;
}

QPointF WireCurve::tangent(double t) const {
  const auto [p, q, r, s] = piece(t);
  const double u = 1 - t;
  return u * u * (q - p) + 2 * u * t * (r - q) + t * t * (s - r);
}

QRectF WireCurve::bounds() const {
  const auto [left, right] = std::minmax({a.x(), b.x(), c.x(), d.x()});
  const auto [top, bottom] = std::minmax({a.y(), b.y(), c.y(), d.y()});
  return {QPointF(left, top), QPointF(right, bottom)};
}

int WireCurve::segments(double tolerance, int most) const {
  double bend = 0;
  for (double t : {0.0, 1.0}) {
    const auto [k, l, m, n] = piece(t);
    const QPointF p = k - 2 * l + m, q = l - 2 * m + n;
    bend = std::max({bend, std::hypot(p.x(), p.y()), std::hypot(q.x(), q.y())});
  }
  const int pieces = lane ? 3 : 1;
  return std::clamp(pieces * static_cast<int>(std::ceil(std::sqrt(0.75 * bend / tolerance))), 1, most);
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
