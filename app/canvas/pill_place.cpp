#include "app/canvas/pill_place.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hw::app {
namespace {

constexpr double kAlong[] = {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74};
constexpr double kStep = 24, kPillMargin = 4;
constexpr int kFarUp = 16, kFarAside = 8;  // steps

QRectF around(QPointF middle, QSizeF size) {
  return {middle - QPointF(size.width(), size.height()) / 2, size};
}

/// Places around the middle, near ones first; a way to the side counts twice.
std::vector<QPointF> places_around() {
  std::vector<QPointF> places;
  for (int x = -kFarAside; x <= kFarAside; ++x)
    for (int y = -kFarUp; y <= kFarUp; ++y) places.emplace_back(x * kStep, y * kStep);
  std::ranges::stable_sort(places, {}, [](QPointF p) { return std::hypot(2 * p.x(), p.y()); });
  return places;
}

}  // namespace

PillPlace place_pill(const WireCurve& wire, QSizeF size, const std::function<bool(const QRectF&)>& taken) {
  static const std::vector<QPointF> places = places_around();
  const auto is_free = [&](const QRectF& pill) {
    return !taken(pill.adjusted(-kPillMargin, -kPillMargin, kPillMargin, kPillMargin));
  };
  for (const double t : kAlong) {
    const QRectF pill = around(wire.at(t), size);
    if (is_free(pill)) return {pill, wire.at(t)};
  }
  const QPointF middle = wire.at(0.5);
  for (const QPointF& off : places) {
    const QRectF pill = around(middle + off, size);
    if (is_free(pill)) return {pill, middle};
  }
  return {around(middle, size), middle};
}

}  // namespace hw::app
