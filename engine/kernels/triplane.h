// Scalar bodies of the triplane lookup: where a point falls on a plane.
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

struct PlaneShape {
  int64_t channels, height, width;
  HW_BODY int64_t area() const { return height * width; }
};

/// The four pixels around a point on one plane.
template <class Real>
struct PlaneCorners {
  PlaneTap<Real> across, down;
  int64_t at[4];  // within the plane: low row first, low column first
  Real weight[4];

  template <class X>
  HW_BODY PlaneCorners(const X* position, int plane, const PlaneShape& s)
      : across(plane_tap<Real>(position[plane_across(plane)], s.width)),
        down(plane_tap<Real>(position[plane_down(plane)], s.height)) {
    const int64_t low = down.low * s.width, high = down.high * s.width;
    at[0] = low + across.low, at[1] = low + across.high, at[2] = high + across.low, at[3] = high + across.high;
    const Real right = across.weight, left = Real(1) - right, below = down.weight, above = Real(1) - below;
    weight[0] = above * left, weight[1] = above * right, weight[2] = below * left, weight[3] = below * right;
  }

  /// The derivative of weight[e] along u: across · d/d(across' coordinate) + down · d/d(down's).
  HW_BODY Real along(int e, Real u_across, Real u_down) const {
    const Real row = e & 2 ? down.weight : Real(1) - down.weight, row_slope = e & 2 ? down.slope : -down.slope;
    const Real col = e & 1 ? across.weight : Real(1) - across.weight, col_slope = e & 1 ? across.slope : -across.slope;
    return u_across * (col_slope * row) + u_down * (col * row_slope);
  }
  /// d²(weight[e])/d(across' coordinate)d(down's); the unmixed second derivatives are 0.
  HW_BODY Real mixed(int e) const { return (e == 0 || e == 3 ? across.slope : -across.slope) * down.slope; }
};

}  // namespace hw::kernels
