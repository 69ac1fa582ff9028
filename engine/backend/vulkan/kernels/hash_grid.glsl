//! include exact_sums.glsl
//! include positions.glsl
// The hash grid with its gradients and tangents: engine/backend/gpu/ops/grids.h, grid_tangents.h;
// engine/kernels/hash_grid.h.

/// hw::HashGridLevel.
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer HashGridLevel {
  float scale;
  uint resolution, offset, entries;
  uint8_t dense;
};

/// gpu::GridShape.
struct GridShape {
  uint64_t levels;
  int64_t points, level_count, features;
  uint8_t smoothstep;
  uint8_t pad[7];
};

HashGridLevel level_of(uint64_t levels, int64_t l) { return HashGridLevel(levels + 20ul * uint64_t(l)); }

/// kernels::HashCell; the first D of each array.
struct HashCell {
  uint cell[3];
  REAL frac[3], slope[3], bend[3];
};

/// The cell of a coordinate, and how far into it; in the position's own type.
#define CELL_OF(T)                                                                            \
  void cell_of(T x, float scale, out uint cell, out REAL frac) {                              \
    const T pos = fused(T(scale), x, T(0.5)), below = floor(pos);                             \
    const bool fits = !is_nan(below) && below >= T(-2147483648.0) && below < T(2147483648.0); \
    cell = 0x80000000u;                                                                       \
    if (fits) cell = uint(int(below));                                                        \
    frac = REAL(pos - below);                                                                 \
  }
CELL_OF(float)
CELL_OF(double)

/// x: where the point's coordinates begin.
HashCell hash_cell(uint64_t x, float scale, bool smoothstep) {
  HashCell c;
  for (int d = 0; d < D; ++d) {
    REAL frac;
    if (X == kF64)
      cell_of(F64(x, d), scale, c.cell[d], frac);
    else
      cell_of(F32(x, d), scale, c.cell[d], frac);
    if (smoothstep) {
      c.frac[d] = (frac * frac) * (REAL(3) - REAL(2) * frac);
      c.slope[d] = REAL(6) * (frac * (REAL(1) - frac));
      c.bend[d] = REAL(6) - REAL(12) * frac;
    } else {
      c.frac[d] = frac;
      c.slope[d] = REAL(1);
      c.bend[d] = REAL(0);
    }
  }
  return c;
}

bool is_upper(int corner, int d) { return (corner >> d & 1) != 0; }

REAL hash_weight(HashCell c, int corner) {
  REAL w = is_upper(corner, 0) ? c.frac[0] : REAL(1) - c.frac[0];
  for (int d = 1; d < D; ++d) w *= is_upper(corner, d) ? c.frac[d] : REAL(1) - c.frac[d];
  return w;
}

REAL hash_weight_slope(HashCell c, int corner, int axis) {
  REAL w = is_upper(corner, axis) ? c.slope[axis] : -c.slope[axis];
  for (int d = 0; d < D; ++d)
    if (d != axis) w *= is_upper(corner, d) ? c.frac[d] : REAL(1) - c.frac[d];
  return w;
}

/// u: where the direction's coordinates begin.
REAL hash_weight_along(HashCell c, int corner, uint64_t u) {
  REAL sum = REAL(0);
  for (int d = 0; d < D; ++d) sum += load(X, u, d) * hash_weight_slope(c, corner, d);
  return sum;
}

REAL hash_weight_along_slope(HashCell c, int corner, uint64_t u, int axis) {
  REAL sum = REAL(0);
  for (int other = 0; other < D; ++other) {
    REAL w = load(X, u, other);
    for (int d = 0; d < D; ++d) {
      const bool upper = is_upper(corner, d);
      if (d != axis && d != other)
        w *= upper ? c.frac[d] : REAL(1) - c.frac[d];
      else
        w *= (upper ? REAL(1) : REAL(-1)) * (axis == other ? c.bend[d] : c.slope[d]);
    }
    sum += w;
  }
  return sum;
}

uint hash_entry(HashCell c, int corner, HashGridLevel level) {
  const bool dense = level.dense != uint8_t(0);
  uint index = 0u, stride = 1u;
  for (int d = 0; d < D; ++d) {
    const uint cell = c.cell[d] + uint(corner >> d & 1);
    const uint prime = d == 0 ? 1u : d == 1 ? 2654435761u : 805459861u;
    if (dense) {
      index += cell * stride;
      stride *= level.resolution;
    } else {
      index ^= cell * prime;
    }
  }
  return index % level.entries;
}

/// gpu::GridCorners; the first 2^D entries.
struct GridCorners {
  HashCell cell;
  int64_t entry[8];
};

GridCorners grid_corners(uint64_t x, HashGridLevel level, bool smoothstep) {
  GridCorners c;
  c.cell = hash_cell(x, level.scale, smoothstep);
  for (int k = 0; k < 1 << D; ++k) c.entry[k] = int64_t(level.offset) + int64_t(hash_entry(c.cell, k, level));
  return c;
}

//! kernel HashGrid
//! real
layout(constant_id = 2) const int SMOOTHSTEP = 0;
layout(constant_id = 3) const int TABLE = 1;
layout(constant_id = 4) const int Y = 1;
struct Functor {
  GridShape grid;
  uint64_t x;
  Memory table, y;
};
//! functor
void item(int64_t i) {
  const int64_t points = f.grid.points, features = f.grid.features, point = i % points, l = i / points;
  HashGridLevel level = level_of(f.grid.levels, l);
  const GridCorners c = grid_corners(point_at(f.x, point), level, SMOOTHSTEP != 0);
  const int64_t row = point * f.grid.level_count * features + l * features;
  for (int64_t feature = 0l; feature < features; ++feature) {
    REAL sum = REAL(0);
    for (int k = 0; k < 1 << D; ++k)
      sum = fma(hash_weight(c.cell, k), load(TABLE, f.table.data, c.entry[k] * features + feature), sum);
    store(Y, f.y.data, row + feature, sum);
  }
}

//! kernel HashGridGradTable
//! real
layout(constant_id = 2) const int SMOOTHSTEP = 0;
layout(constant_id = 3) const int G = 1;
struct Functor {
  GridShape grid;
  uint64_t x;
  Memory g;
  ExactSums sums;
  uint64_t touched;
};
//! functor
void item(int64_t i) {
  const int64_t points = f.grid.points, features = f.grid.features, point = i % points, l = i / points;
  HashGridLevel level = level_of(f.grid.levels, l);
  const GridCorners c = grid_corners(point_at(f.x, point), level, SMOOTHSTEP != 0);
  const int64_t row = point * f.grid.level_count * features + l * features;
  for (int64_t feature = 0l; feature < features; ++feature) {
    const REAL value = load(G, f.g.data, row + feature);
    for (int k = 0; k < 1 << D; ++k) {
      const int64_t element = c.entry[k] * features + feature;
      add(f.sums, element, double(hash_weight(c.cell, k) * value));
      U8(f.touched, element / 16l) = uint8_t(1);
    }
  }
}

//! kernel HashGridGradInput
//! real
layout(constant_id = 2) const int SMOOTHSTEP = 0;
layout(constant_id = 3) const int TABLE = 1;
layout(constant_id = 4) const int G = 1;
struct Functor {
  GridShape grid;
  uint64_t x;
  Memory table, g;
  uint64_t dx;
};
//! functor
void item(int64_t point) {
  const int64_t level_count = f.grid.level_count, features = f.grid.features;
  REAL sums[3] = REAL[3](REAL(0), REAL(0), REAL(0));
  for (int64_t l = 0l; l < level_count; ++l) {
    HashGridLevel level = level_of(f.grid.levels, l);
    const GridCorners c = grid_corners(point_at(f.x, point), level, SMOOTHSTEP != 0);
    const REAL scale = REAL(level.scale);
    for (int k = 0; k < 1 << D; ++k) {
      REAL along = REAL(0);
      for (int64_t feature = 0l; feature < features; ++feature)
        along += load(TABLE, f.table.data, c.entry[k] * features + feature) *
                 load(G, f.g.data, (point * level_count + l) * features + feature);
      for (int d = 0; d < D; ++d) sums[d] += hash_weight_slope(c.cell, k, d) * scale * along;
    }
  }
  for (int d = 0; d < D; ++d) store(X, f.dx, point * D + d, sums[d]);
}

//! kernel HashGridTangent
//! real
layout(constant_id = 2) const int SMOOTHSTEP = 0;
layout(constant_id = 3) const int TABLE = 1;
layout(constant_id = 4) const int Y = 1;
struct Functor {
  GridShape grid;
  uint64_t x, u;
  Memory table, y;
};
//! functor
void item(int64_t i) {
  const int64_t points = f.grid.points, features = f.grid.features, point = i % points, l = i / points;
  HashGridLevel level = level_of(f.grid.levels, l);
  const GridCorners c = grid_corners(point_at(f.x, point), level, SMOOTHSTEP != 0);
  const uint64_t u = point_at(f.u, point);
  const REAL scale = REAL(level.scale);
  const int64_t row = point * f.grid.level_count * features + l * features;
  for (int64_t feature = 0l; feature < features; ++feature) {
    REAL sum = REAL(0);
    for (int k = 0; k < 1 << D; ++k)
      sum += hash_weight_along(c.cell, k, u) * scale * load(TABLE, f.table.data, c.entry[k] * features + feature);
    store(Y, f.y.data, row + feature, sum);
  }
}

//! kernel HashGridTangentGradTable
//! real
layout(constant_id = 2) const int SMOOTHSTEP = 0;
layout(constant_id = 3) const int G = 1;
struct Functor {
  GridShape grid;
  uint64_t x, u;
  Memory g;
  ExactSums sums;
};
//! functor
void item(int64_t i) {
  const int64_t points = f.grid.points, features = f.grid.features, point = i % points, l = i / points;
  HashGridLevel level = level_of(f.grid.levels, l);
  const GridCorners c = grid_corners(point_at(f.x, point), level, SMOOTHSTEP != 0);
  const uint64_t u = point_at(f.u, point);
  const REAL scale = REAL(level.scale);
  const int64_t row = point * f.grid.level_count * features + l * features;
  for (int64_t feature = 0l; feature < features; ++feature) {
    const REAL value = load(G, f.g.data, row + feature);
    for (int k = 0; k < 1 << D; ++k) {
      const REAL weight = hash_weight_along(c.cell, k, u) * scale;
      add(f.sums, c.entry[k] * features + feature, double(weight * value));
    }
  }
}

//! kernel HashGridTangentGradInput
//! real
layout(constant_id = 2) const int SMOOTHSTEP = 0;
layout(constant_id = 3) const int TABLE = 1;
layout(constant_id = 4) const int G = 1;
struct Functor {
  GridShape grid;
  uint64_t x, u;
  Memory table, g;
  uint64_t dx;
};
//! functor
void item(int64_t point) {
  const int64_t level_count = f.grid.level_count, features = f.grid.features;
  const uint64_t u = point_at(f.u, point);
  REAL sums[3] = REAL[3](REAL(0), REAL(0), REAL(0));
  for (int64_t l = 0l; l < level_count; ++l) {
    HashGridLevel level = level_of(f.grid.levels, l);
    const GridCorners c = grid_corners(point_at(f.x, point), level, SMOOTHSTEP != 0);
    const REAL scale = REAL(level.scale);
    for (int k = 0; k < 1 << D; ++k) {
      REAL product = REAL(0);
      for (int64_t feature = 0l; feature < features; ++feature)
        product += load(TABLE, f.table.data, c.entry[k] * features + feature) *
                   load(G, f.g.data, (point * level_count + l) * features + feature);
      for (int d = 0; d < D; ++d) sums[d] += hash_weight_along_slope(c.cell, k, u, d) * (scale * scale) * product;
    }
  }
  for (int d = 0; d < D; ++d) store(X, f.dx, point * D + d, sums[d]);
}

