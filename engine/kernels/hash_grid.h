// Scalar bodies of the multi-resolution hash grid (Müller et al. 2022, tiny-cuda-nn's conventions): cell, corner
// weight and entry. Every path, scalar or vector, follows this order of operations, so that the bits agree.
// Real: float; double beside a table in f64.
#pragma once

#include <cmath>
#include <cstdint>

#include "engine/kernels/body.h"
#include "engine/program/program.h"

namespace hw::kernels {

/// Where a point lies in one level: cell corner, fraction in [0, 1], and its derivatives by the grid coordinate.
template <int D, class Real>
struct HashCell {
  uint32_t cell[D];
  Real frac[D];
  Real slope[D];  // 1, or smoothstep's derivative
  Real bend[D];   // 0, or smoothstep's second derivative
};

/// x: D coordinates, in [0, 1]; any other value is safe (the entry wraps). An f32 position has an f32 grid coordinate
/// whatever Real is.
template <int D, class Real, class X>
HW_BODY HashCell<D, Real> hash_cell(const X* x, float scale, bool smoothstep) {
  HashCell<D, Real> c;
  for (int d = 0; d < D; ++d) {
    const X pos = std::fma(static_cast<X>(scale), x[d], X(0.5));
    const X floor = std::floor(pos);
    // As the vector conversion does: what does not fit, NaN too, becomes 2^31.
    const bool fits = floor >= X(-2147483648.0) && floor < X(2147483648.0);
    c.cell[d] = fits ? static_cast<uint32_t>(static_cast<int32_t>(floor)) : 0x80000000u;
    const Real frac = static_cast<Real>(pos - floor);
    c.frac[d] = smoothstep ? (frac * frac) * (Real(3) - Real(2) * frac) : frac;
    c.slope[d] = smoothstep ? Real(6) * (frac * (Real(1) - frac)) : Real(1);
    c.bend[d] = smoothstep ? Real(6) - Real(12) * frac : Real(0);
  }
  return c;
}

/// Multilinear weight of corner `corner` (bit d set: the upper neighbour along d).
template <int D, class Real>
HW_BODY Real hash_weight(const HashCell<D, Real>& c, int corner) {
  Real w = (corner & 1) ? c.frac[0] : Real(1) - c.frac[0];
  for (int d = 1; d < D; ++d) w *= (corner >> d & 1) ? c.frac[d] : Real(1) - c.frac[d];
  return w;
}

/// d(weight)/d(grid coordinate of `axis`).
template <int D, class Real>
HW_BODY Real hash_weight_slope(const HashCell<D, Real>& c, int corner, int axis) {
  Real w = (corner >> axis & 1) ? c.slope[axis] : -c.slope[axis];
  for (int d = 0; d < D; ++d)
    if (d != axis) w *= (corner >> d & 1) ? c.frac[d] : Real(1) - c.frac[d];
  return w;
}

/// Σ u_d · d(weight)/d(grid coordinate of d): the weight's derivative along u.
template <int D, class Real, class X>
HW_BODY Real hash_weight_along(const HashCell<D, Real>& c, int corner, const X* u) {
  Real sum = 0;
  for (int d = 0; d < D; ++d) sum += static_cast<Real>(u[d]) * hash_weight_slope(c, corner, d);
  return sum;
}

/// d(hash_weight_along)/d(grid coordinate of `axis`). Within a cell of linear weights only mixed derivatives are not 0.
template <int D, class Real, class X>
HW_BODY Real hash_weight_along_slope(const HashCell<D, Real>& c, int corner, const X* u, int axis) {
  Real sum = 0;
  for (int other = 0; other < D; ++other) {
    Real w = static_cast<Real>(u[other]);
    for (int d = 0; d < D; ++d) {
      const bool upper = corner >> d & 1;
      if (d != axis && d != other)
        w *= upper ? c.frac[d] : Real(1) - c.frac[d];
      else
        w *= (upper ? Real(1) : Real(-1)) * (axis == other ? c.bend[d] : c.slope[d]);
    }
    sum += w;
  }
  return sum;
}

/// Entry of a corner within its level, < level.entries.
template <int D, class Real>
HW_BODY uint32_t hash_entry(const HashCell<D, Real>& c, int corner, const HashGridLevel& level) {
  uint32_t index = 0, stride = 1;
  for (int d = 0; d < D; ++d) {
    const uint32_t cell = c.cell[d] + static_cast<uint32_t>(corner >> d & 1);
    const uint32_t prime = d == 0 ? 1u : d == 1 ? 2654435761u : 805459861u;
    if (level.dense) {
      index += cell * stride;
      stride *= level.resolution;
    } else {
      index ^= cell * prime;
    }
  }
  return index % level.entries;
}

}  // namespace hw::kernels
