// Derivatives of the hash grid and the triplane along a direction for each point, and their gradients.
#pragma once

#include <algorithm>

#include "engine/backend/gpu/ops/grids.h"

namespace hw::gpu {

/// No contribution of g's element k is larger: |g| · steepest · Σ |u| of its point. What is not finite counts as 0.
template <int D, class X>
struct TangentBound {
  Source g;
  const X* u;
  int64_t width;  // elements of g for a point
  double steepest;
  HW_BODY double operator()(int64_t, int64_t k) const {
    double sum = 0;
    for (int d = 0; d < D; ++d) sum += std::fabs(static_cast<double>(u[k / width * D + d]));
    const double bound = std::fabs(g.at<double>(k)) * steepest * sum;
    return bound - bound == 0 ? bound : 0.0;
  }

  HW_KERNEL(TangentBound, g.dtype, kDTypeOf<X>, D)
};

/// One point in one level.
template <int D, class X, class Real>
struct HashGridTangent {
  GridShape grid;
  const X *x, *u;
  Source table;
  Target y;
  HW_BODY void operator()(int64_t i) const {
    const int64_t point = i % grid.points, l = i / grid.points;
    const GridCorners<D, X, Real> c(x + point * D, grid.levels[l], grid.smoothstep);
    const Real scale = grid.levels[l].scale;
    for (int64_t f = 0; f < grid.features; ++f) {
      Real sum = 0;
      for (int k = 0; k < 1 << D; ++k)
        sum += kernels::hash_weight_along(c.cell, k, u + point * D) * scale *
               table.at<Real>(c.entry[k] * grid.features + f);
      y.put(point * grid.level_count * grid.features + l * grid.features + f, sum);
    }
  }

  HW_REAL_KERNEL(Real, HashGridTangent, kDTypeOf<X>, D, grid.smoothstep, table.dtype, y.dtype)
};

template <int D, class X, class Real>
struct HashGridTangentGradTable {
  GridShape grid;
  const X *x, *u;
  Source g;
  ExactSums sums;
  HW_BODY void operator()(int64_t i) const {
    const int64_t point = i % grid.points, l = i / grid.points;
    const GridCorners<D, X, Real> c(x + point * D, grid.levels[l], grid.smoothstep);
    const Real scale = grid.levels[l].scale;
    for (int64_t f = 0; f < grid.features; ++f) {
      const Real value = g.at<Real>(point * grid.level_count * grid.features + l * grid.features + f);
      for (int k = 0; k < 1 << D; ++k) {
        const Real weight = kernels::hash_weight_along(c.cell, k, u + point * D) * scale;
        sums.add(c.entry[k] * grid.features + f, static_cast<double>(weight * value));
      }
    }
  }

  HW_REAL_KERNEL(Real, HashGridTangentGradTable, kDTypeOf<X>, D, grid.smoothstep, g.dtype)
};

/// One point, its levels in order.
template <int D, class X, class Real>
struct HashGridTangentGradInput {
  GridShape grid;
  const X *x, *u;
  Source table, g;
  X* dx;
  HW_BODY void operator()(int64_t point) const {
    Real sums[D] = {};
    for (int64_t l = 0; l < grid.level_count; ++l) {
      const GridCorners<D, X, Real> c(x + point * D, grid.levels[l], grid.smoothstep);
      const Real scale = grid.levels[l].scale;
      for (int k = 0; k < 1 << D; ++k) {
        Real product = 0;
        for (int64_t f = 0; f < grid.features; ++f)
          product += table.at<Real>(c.entry[k] * grid.features + f) *
                     g.at<Real>((point * grid.level_count + l) * grid.features + f);
        for (int d = 0; d < D; ++d)
          sums[d] += kernels::hash_weight_along_slope(c.cell, k, u + point * D, d) * (scale * scale) * product;
      }
    }
    for (int d = 0; d < D; ++d) dx[point * D + d] = static_cast<X>(sums[d]);
  }

  HW_REAL_KERNEL(Real, HashGridTangentGradInput, kDTypeOf<X>, D, grid.smoothstep, table.dtype, g.dtype)
};

template <class Launcher, int D, class X, class Real>
void plan_hash_grid_tangent_as(OpContext& c, const GridShape& grid) {
  const auto* x = static_cast<const X*>(c.read(0).data);
  const auto* u = static_cast<const X*>(c.read(c.op() == Op::hash_grid_tangent_grad_table ? 1 : 2).data);
  const int64_t items = grid.points * grid.level_count;
  if (c.op() == Op::hash_grid_tangent)
    return map<Launcher>(c, items, HashGridTangent<D, X, Real>{grid, x, u, c.read(1), c.write()});
  if (c.op() == Op::hash_grid_tangent_grad_input)
    return map<Launcher>(
        c, grid.points,
        HashGridTangentGradInput<D, X, Real>{grid, x, u, c.read(1), c.read(3), static_cast<X*>(c.write().data)});
  double finest = 0;
  for (const HashGridLevel& level : c.attr<HashGridAttr>().levels) finest = std::max<double>(finest, level.scale);
  const double steepest = grid.smoothstep ? 1.5 * finest : finest;
  const TangentBound<D, X> bound{c.read(2), u, grid.level_count * grid.features, steepest};
  const ExactSums sums =
      exact_sums_below<Launcher>(c, bound, c.in_size(2), c.out_size(), grid.points * (int64_t{1} << D));
  map<Launcher>(c, items, HashGridTangentGradTable<D, X, Real>{grid, x, u, c.read(2), sums});
  map<Launcher>(c, c.out_size(), StoreExactSums{sums, c.write()});
}

template <class Launcher, int D>
void plan_hash_grid_tangent_in(OpContext& c, const GridShape& grid) {
  const bool wide = c.in(c.op() == Op::hash_grid_tangent_grad_table ? 2 : 1).dtype == DType::f64;
  if (c.in(0).dtype == DType::f64) return plan_hash_grid_tangent_as<Launcher, D, double, double>(c, grid);
  if (wide) return plan_hash_grid_tangent_as<Launcher, D, float, double>(c, grid);
  plan_hash_grid_tangent_as<Launcher, D, float, float>(c, grid);
}

template <class Launcher>
void plan_hash_grid_tangent(OpContext& c) {
  const HashGridAttr& a = c.attr<HashGridAttr>();
  const GridShape grid{c.constant(a.levels), c.in(0).dims[0], static_cast<int64_t>(a.levels.size()), a.features,
                       a.smoothstep};
  if (a.dims == 2)
    plan_hash_grid_tangent_in<Launcher, 2>(c, grid);
  else
    plan_hash_grid_tangent_in<Launcher, 3>(c, grid);
}

// ---- triplane

/// One point on one plane, and its direction there.
template <class X, class Real>
struct PlaneTangent {
  kernels::PlaneCorners<Real> corners;
  Real across, down;

  HW_BODY PlaneTangent(const X* x, const X* u, int plane, const kernels::PlaneShape& s)
      : corners(x, plane, s),
        across(static_cast<Real>(u[kernels::plane_across(plane)])),
        down(static_cast<Real>(u[kernels::plane_down(plane)])) {}
  HW_BODY Real weight(int e) const { return corners.along(e, across, down); }
};

/// One feature of one point.
template <class X, class Real>
struct TriplaneTangent {
  kernels::PlaneShape s;
  const X *x, *u;
  Source planes;
  Target y;
  HW_BODY void operator()(int64_t i) const {
    const int64_t point = i / (3 * s.channels), column = i % (3 * s.channels);
    const PlaneTangent<X, Real> t(x + 3 * point, u + 3 * point, static_cast<int>(column / s.channels), s);
    Real sum = 0;
    for (int e = 0; e < 4; ++e) sum += t.weight(e) * planes.at<Real>(column * s.area() + t.corners.at[e]);
    y.put(i, sum);
  }

  HW_REAL_KERNEL(Real, TriplaneTangent, kDTypeOf<X>, 3, planes.dtype, y.dtype)
};

template <class X, class Real>
struct TriplaneTangentGradPlanes {
  kernels::PlaneShape s;
  const X *x, *u;
  Source g;
  ExactSums sums;
  HW_BODY void operator()(int64_t i) const {
    const int64_t point = i / (3 * s.channels), column = i % (3 * s.channels);
    const PlaneTangent<X, Real> t(x + 3 * point, u + 3 * point, static_cast<int>(column / s.channels), s);
    const Real value = g.at<Real>(i);
    for (int e = 0; e < 4; ++e) sums.add(column * s.area() + t.corners.at[e], static_cast<double>(t.weight(e) * value));
  }

  HW_REAL_KERNEL(Real, TriplaneTangentGradPlanes, kDTypeOf<X>, 3, g.dtype)
};

/// One point.
template <class X, class Real>
struct TriplaneTangentGradInput {
  kernels::PlaneShape s;
  const X *x, *u;
  Source planes, g;
  X* dx;
  HW_BODY void operator()(int64_t point) const {
    Real sums[3] = {};
    for (int p = 0; p < 3; ++p) {
      const PlaneTangent<X, Real> t(x + 3 * point, u + 3 * point, p, s);
      Real mixed = 0;
      for (int64_t k = 0; k < s.channels; ++k) {
        const int64_t column = p * s.channels + k;
        const Real value = g.at<Real>(point * 3 * s.channels + column);
        for (int e = 0; e < 4; ++e)
          mixed += value * (t.corners.mixed(e) * planes.at<Real>(column * s.area() + t.corners.at[e]));
      }
      sums[kernels::plane_across(p)] += t.down * mixed;
      sums[kernels::plane_down(p)] += t.across * mixed;
    }
    for (int d = 0; d < 3; ++d) dx[point * 3 + d] = static_cast<X>(sums[d]);
  }

  HW_REAL_KERNEL(Real, TriplaneTangentGradInput, kDTypeOf<X>, 3, planes.dtype, g.dtype)
};

template <class Launcher, class X, class Real>
void plan_triplane_tangent_as(OpContext& c) {
  const bool sums_planes = c.op() == Op::triplane_tangent_grad_planes;
  const Dims& planes = (sums_planes ? c.out() : c.in(1)).dims;
  const kernels::PlaneShape s{planes[1], planes[2], planes[3]};
  const auto* x = static_cast<const X*>(c.read(0).data);
  const auto* u = static_cast<const X*>(c.read(sums_planes ? 1 : 2).data);
  const int64_t points = c.in(0).dims[0], items = points * 3 * s.channels;
  if (c.op() == Op::triplane_tangent)
    return map<Launcher>(c, items, TriplaneTangent<X, Real>{s, x, u, c.read(1), c.write()});
  if (c.op() == Op::triplane_tangent_grad_input)
    return map<Launcher>(
        c, points, TriplaneTangentGradInput<X, Real>{s, x, u, c.read(1), c.read(3), static_cast<X*>(c.write().data)});
  const TangentBound<3, X> bound{c.read(2), u, 3 * s.channels, static_cast<double>(std::max(s.height, s.width))};
  const ExactSums sums = exact_sums_below<Launcher>(c, bound, c.in_size(2), c.out_size(), 4 * points);
  map<Launcher>(c, items, TriplaneTangentGradPlanes<X, Real>{s, x, u, c.read(2), sums});
  map<Launcher>(c, c.out_size(), StoreExactSums{sums, c.write()});
}

template <class Launcher>
void plan_triplane_tangent(OpContext& c) {
  const bool wide = c.in(c.op() == Op::triplane_tangent_grad_planes ? 2 : 1).dtype == DType::f64;
  if (c.in(0).dtype == DType::f64) return plan_triplane_tangent_as<Launcher, double, double>(c);
  if (wide) return plan_triplane_tangent_as<Launcher, float, double>(c);
  plan_triplane_tangent_as<Launcher, float, float>(c);
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_GRID_TANGENTS_PLANNERS(Launcher)                   \
  template void plan_hash_grid_tangent<Launcher>(OpContext&); \
  template void plan_triplane_tangent<Launcher>(OpContext&);
