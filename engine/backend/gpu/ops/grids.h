// The hash grid and the triplane with their gradients, and rows of a table.
#pragma once

#include "engine/backend/gpu/ops/scatter.h"
#include "engine/kernels/hash_grid.h"
#include "engine/kernels/triplane.h"

namespace hw::gpu {

using kernels::Source;
using kernels::Target;

struct GridShape {
  const HashGridLevel* levels;
  int64_t points, level_count, features;
  bool smoothstep;
};

/// The corners of one point in one level: entries of the table and their weights.
template <int D, class X, class Real>
struct GridCorners {
  kernels::HashCell<D, Real> cell;
  int64_t entry[1 << D];

  HW_BODY GridCorners(const X* x, const HashGridLevel& level, bool smoothstep)
      : cell(kernels::hash_cell<D, Real>(x, level.scale, smoothstep)) {
    for (int k = 0; k < 1 << D; ++k) entry[k] = int64_t{level.offset} + kernels::hash_entry(cell, k, level);
  }
};

/// One point in one level; neighbouring items are neighbouring points of a level.
template <int D, class X, class Real>
struct HashGrid {
  GridShape grid;
  const X* x;
  Source table;
  Target y;
  HW_BODY void operator()(int64_t i) const {
    const int64_t point = i % grid.points, l = i / grid.points;
    const GridCorners<D, X, Real> c(x + point * D, grid.levels[l], grid.smoothstep);
    for (int64_t f = 0; f < grid.features; ++f) {
      Real sum = 0;
      for (int k = 0; k < 1 << D; ++k)
        sum = std::fma(kernels::hash_weight(c.cell, k), table.at<Real>(c.entry[k] * grid.features + f), sum);
      y.put(point * grid.level_count * grid.features + l * grid.features + f, sum);
    }
  }

  HW_REAL_KERNEL(Real, HashGrid, kDTypeOf<X>, D, grid.smoothstep, table.dtype, y.dtype)
};

/// touched: one mark for 16 elements of the table.
template <int D, class X, class Real>
struct HashGridGradTable {
  GridShape grid;
  const X* x;
  Source g;
  ExactSums sums;
  uint8_t* touched;
  HW_BODY void operator()(int64_t i) const {
    const int64_t point = i % grid.points, l = i / grid.points;
    const GridCorners<D, X, Real> c(x + point * D, grid.levels[l], grid.smoothstep);
    for (int64_t f = 0; f < grid.features; ++f) {
      const Real value = g.at<Real>(point * grid.level_count * grid.features + l * grid.features + f);
      for (int k = 0; k < 1 << D; ++k) {
        const int64_t element = c.entry[k] * grid.features + f;
        sums.add(element, static_cast<double>(kernels::hash_weight(c.cell, k) * value));
        touched[element / 16] = 1;
      }
    }
  }

  HW_REAL_KERNEL(Real, HashGridGradTable, kDTypeOf<X>, D, grid.smoothstep, g.dtype)
};

/// One point, its levels in order.
template <int D, class X, class Real>
struct HashGridGradInput {
  GridShape grid;
  const X* x;
  Source table, g;
  X* dx;
  HW_BODY void operator()(int64_t point) const {
    Real sums[D] = {};
    for (int64_t l = 0; l < grid.level_count; ++l) {
      const GridCorners<D, X, Real> c(x + point * D, grid.levels[l], grid.smoothstep);
      for (int k = 0; k < 1 << D; ++k) {
        Real along = 0;
        for (int64_t f = 0; f < grid.features; ++f)
          along += table.at<Real>(c.entry[k] * grid.features + f) *
                   g.at<Real>((point * grid.level_count + l) * grid.features + f);
        for (int d = 0; d < D; ++d)
          sums[d] += kernels::hash_weight_slope(c.cell, k, d) * static_cast<Real>(grid.levels[l].scale) * along;
      }
    }
    for (int d = 0; d < D; ++d) dx[point * D + d] = static_cast<X>(sums[d]);
  }

  HW_REAL_KERNEL(Real, HashGridGradInput, kDTypeOf<X>, D, grid.smoothstep, table.dtype, g.dtype)
};

template <class Launcher, int D, class X, class Real>
void plan_hash_grid_as(OpContext& c, const GridShape& grid) {
  const auto* x = static_cast<const X*>(c.read(0).data);
  const int64_t items = grid.points * grid.level_count;
  if (c.op() == Op::hash_grid) return map<Launcher>(c, items, HashGrid<D, X, Real>{grid, x, c.read(1), c.write()});
  if (c.op() == Op::hash_grid_grad_input)
    return map<Launcher>(c, grid.points,
                         HashGridGradInput<D, X, Real>{grid, x, c.read(1), c.read(2), static_cast<X*>(c.write().data)});
  const ExactSums sums =
      exact_sums<Launcher>(c, c.read(1), c.in_size(1), c.out_size(), grid.points * (int64_t{1} << D));
  auto* touched = static_cast<uint8_t*>(c.write(1).data);
  c.clear(touched, static_cast<size_t>(c.out_size(1)));
  map<Launcher>(c, items, HashGridGradTable<D, X, Real>{grid, x, c.read(1), sums, touched});
  map<Launcher>(c, c.out_size(), StoreExactSums{sums, c.write()});
  if (c.out().dtype != DType::f16) return;
  c.info.compute = c.info.accumulate = DType::f32;
  c.when_looked_at([&] {
    const CountLosses count{sums, c.write().source(), touched};
    return gpu::sums<Launcher, AddUp>(c, count, 3, c.out_size(), true);
  });
}

template <class Launcher, int D>
void plan_hash_grid_in(OpContext& c, const GridShape& grid) {
  const bool wide = c.in(1).dtype == DType::f64, wide_x = c.in(0).dtype == DType::f64;
  if (wide_x) return plan_hash_grid_as<Launcher, D, double, double>(c, grid);
  if (wide) return plan_hash_grid_as<Launcher, D, float, double>(c, grid);
  plan_hash_grid_as<Launcher, D, float, float>(c, grid);
}

template <class Launcher>
void plan_hash_grid(OpContext& c) {
  const HashGridAttr& a = c.attr<HashGridAttr>();
  const GridShape grid{c.constant(a.levels), c.in(0).dims[0], static_cast<int64_t>(a.levels.size()), a.features,
                       a.smoothstep};
  if (a.dims == 2)
    plan_hash_grid_in<Launcher, 2>(c, grid);
  else
    plan_hash_grid_in<Launcher, 3>(c, grid);
}

// ---- triplane

/// One feature of one point.
template <class X, class Real>
struct Triplane {
  kernels::PlaneShape s;
  const X* x;
  Source planes;
  Target y;
  HW_BODY void operator()(int64_t i) const {
    const int64_t point = i / (3 * s.channels), column = i % (3 * s.channels);
    const kernels::PlaneCorners<Real> c(x + 3 * point, static_cast<int>(column / s.channels), s);
    Real sum = 0;
    for (int e = 0; e < 4; ++e) sum = std::fma(c.weight[e], planes.at<Real>(column * s.area() + c.at[e]), sum);
    y.put(i, sum);
  }

  HW_REAL_KERNEL(Real, Triplane, kDTypeOf<X>, 3, planes.dtype, y.dtype)
};

template <class X, class Real>
struct TriplaneGradPlanes {
  kernels::PlaneShape s;
  const X* x;
  Source g;
  ExactSums sums;
  HW_BODY void operator()(int64_t i) const {
    const int64_t point = i / (3 * s.channels), column = i % (3 * s.channels);
    const kernels::PlaneCorners<Real> c(x + 3 * point, static_cast<int>(column / s.channels), s);
    const Real value = g.at<Real>(i);
    for (int e = 0; e < 4; ++e) sums.add(column * s.area() + c.at[e], static_cast<double>(c.weight[e] * value));
  }

  HW_REAL_KERNEL(Real, TriplaneGradPlanes, kDTypeOf<X>, 3, g.dtype)
};

/// One point.
template <class X, class Real>
struct TriplaneGradInput {
  kernels::PlaneShape s;
  const X* x;
  Source planes, g;
  X* dx;
  HW_BODY void operator()(int64_t point) const {
    Real sums[3] = {};
    for (int p = 0; p < 3; ++p) {
      const kernels::PlaneCorners<Real> c(x + 3 * point, p, s);
      Real across = 0, down = 0;
      for (int64_t k = 0; k < s.channels; ++k) {
        const int64_t column = p * s.channels + k;
        Real v[4];
        for (int e = 0; e < 4; ++e) v[e] = planes.at<Real>(column * s.area() + c.at[e]);
        const Real value = g.at<Real>(point * 3 * s.channels + column);
        across += value * ((Real(1) - c.down.weight) * (v[1] - v[0]) + c.down.weight * (v[3] - v[2]));
        down += value * ((Real(1) - c.across.weight) * (v[2] - v[0]) + c.across.weight * (v[3] - v[1]));
      }
      sums[kernels::plane_across(p)] += c.across.slope * across;
      sums[kernels::plane_down(p)] += c.down.slope * down;
    }
    for (int d = 0; d < 3; ++d) dx[point * 3 + d] = static_cast<X>(sums[d]);
  }

  HW_REAL_KERNEL(Real, TriplaneGradInput, kDTypeOf<X>, 3, planes.dtype, g.dtype)
};

template <class Launcher, class X, class Real>
void plan_triplane_as(OpContext& c) {
  const Dims& planes = (c.op() == Op::triplane_grad_planes ? c.out() : c.in(1)).dims;
  const kernels::PlaneShape s{planes[1], planes[2], planes[3]};
  const auto* x = static_cast<const X*>(c.read(0).data);
  const int64_t points = c.in(0).dims[0], items = points * 3 * s.channels;
  if (c.op() == Op::triplane) return map<Launcher>(c, items, Triplane<X, Real>{s, x, c.read(1), c.write()});
  if (c.op() == Op::triplane_grad_input)
    return map<Launcher>(c, points,
                         TriplaneGradInput<X, Real>{s, x, c.read(1), c.read(2), static_cast<X*>(c.write().data)});
  const ExactSums sums = exact_sums<Launcher>(c, c.read(1), c.in_size(1), c.out_size(), 4 * points);
  map<Launcher>(c, items, TriplaneGradPlanes<X, Real>{s, x, c.read(1), sums});
  map<Launcher>(c, c.out_size(), StoreExactSums{sums, c.write()});
}

template <class Launcher>
void plan_triplane(OpContext& c) {
  const bool wide = c.in(1).dtype == DType::f64, wide_x = c.in(0).dtype == DType::f64;
  if (wide_x) return plan_triplane_as<Launcher, double, double>(c);
  if (wide) return plan_triplane_as<Launcher, float, double>(c);
  plan_triplane_as<Launcher, float, float>(c);
}

// ---- gather

/// One element of one row; NaN where the row lies outside.
struct Gather {
  Source table, index;
  int64_t entries, width;
  Target y;
  HW_BODY void operator()(int64_t i) const {
    const int64_t row = index.whole_at(i / width);
    if (row < 0 || row >= entries) return y.put(i, std::numeric_limits<double>::quiet_NaN());
    dispatch(y.dtype, [&](auto stored) {
      using Raw = typename decltype(stored)::Raw;
      static_cast<Raw*>(y.data)[i] = static_cast<const Raw*>(table.data)[row * width + i % width];
    });
  }

  HW_KERNEL(Gather, index.dtype, y.dtype)
};

struct GatherGrad {
  Source g, index;
  int64_t entries, width;
  ExactSums sums;
  HW_BODY void operator()(int64_t i) const {
    const int64_t row = index.whole_at(i / width);
    if (row >= 0 && row < entries) sums.add(row * width + i % width, g.at<double>(i));
  }

  HW_KERNEL(GatherGrad, g.dtype, index.dtype)
};

template <class Launcher>
void plan_gather(OpContext& c) {
  const Dims& table = (c.op() == Op::gather ? c.in(0) : c.out()).dims;
  const int64_t entries = table[0], width = element_count({table.begin() + 1, table.end()});
  if (c.op() == Op::gather)
    return map<Launcher>(c, c.out_size(), Gather{c.read(0), c.read(1), entries, width, c.write()});
  const ExactSums sums = exact_sums<Launcher>(c, c.read(0), c.in_size(0), c.out_size(), c.in_size(1));
  map<Launcher>(c, c.in_size(0), GatherGrad{c.read(0), c.read(1), entries, width, sums});
  map<Launcher>(c, c.out_size(), StoreExactSums{sums, c.write()});
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_GRIDS_PLANNERS(Launcher)                   \
  template void plan_hash_grid<Launcher>(OpContext&); \
  template void plan_triplane<Launcher>(OpContext&);  \
  template void plan_gather<Launcher>(OpContext&);
