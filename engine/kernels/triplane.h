// Scalar bodies of the triplane lookup: where a coordinate falls on one axis of a plane.
#pragma once

#include <cmath>
#include <cstdint>

#include "engine/kernels/body.h"

namespace hw::kernels {

/// The two pixels beside a coordinate: (1 − weight) · low + weight · high; slope = d(weight)/d(coordinate).
template <class Real>
struct PlaneTap {
  int64_t low, high;
  Real weight, slope;
};

/// x in [0, 1] along an axis of `size` ≥ 1 pixels whose centres lie at (i + ½) / size; beyond the outermost centres the
/// border's pixel with slope 0; for NaN weight and slope are NaN. The pixel coordinate is one fma in the position's own
/// type.
template <class Real, class X>
HW_BODY PlaneTap<Real> plane_tap(X x, int64_t size) {
  const X at = std::fma(x, static_cast<X>(size), X(-0.5)), last = static_cast<X>(size - 1);
  if (std::isnan(at)) return {0, 0, static_cast<Real>(at), static_cast<Real>(at)};
  if (at <= X(0)) return {0, 0, Real(0), Real(0)};
  if (at >= last) return {size - 1, size - 1, Real(0), Real(0)};
  const X floor = std::floor(at);
  const auto low = static_cast<int64_t>(floor);
  return {low, low + 1, static_cast<Real>(at - floor), static_cast<Real>(size)};
}

/// The two axes of a position that plane `plane` spans, along its width and its height: xy, xz, yz.
HW_BODY int plane_across(int plane) {
  return plane == 2 ? 1 : 0;
}
HW_BODY int plane_down(int plane) {
  return plane == 0 ? 1 : 2;
}

}  // namespace hw::kernels
