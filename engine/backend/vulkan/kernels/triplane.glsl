//! include exact_sums.glsl
//! include positions.glsl
// The triplane with its gradients and tangents: engine/backend/gpu/ops/grids.h, grid_tangents.h;
// engine/kernels/triplane.h.

/// kernels::PlaneTap.
struct PlaneTap {
  int64_t low, high;
  REAL weight, slope;
};

/// In the position's own type.
#define PLANE_TAP(T)                                                         \
  PlaneTap plane_tap(T x, int64_t size) {                                    \
    const T at = fused(x, T(size), T(-0.5)), last = T(size - 1l);              \
    if (is_nan(at)) return PlaneTap(0l, 0l, REAL(at), REAL(at));             \
    if (at <= T(0)) return PlaneTap(0l, 0l, REAL(0), REAL(0));               \
    if (at >= last) return PlaneTap(size - 1l, size - 1l, REAL(0), REAL(0)); \
    const T below = floor(at);                                               \
    const int64_t low = int64_t(below);                                      \
    return PlaneTap(low, low + 1l, REAL(at - below), REAL(size));            \
  }
PLANE_TAP(float)
PLANE_TAP(double)

PlaneTap plane_tap_of(uint64_t position, int axis, int64_t size) {
  if (X == kF64) return plane_tap(F64(position, axis), size);
  return plane_tap(F32(position, axis), size);
}

int plane_across(int plane) { return plane == 2 ? 1 : 0; }
int plane_down(int plane) { return plane == 0 ? 1 : 2; }

/// kernels::PlaneShape.
struct PlaneShape {
  int64_t channels, height, width;
};

/// kernels::PlaneCorners.
struct PlaneCorners {
  PlaneTap across, down;
  int64_t at[4];
  REAL weight[4];
};

/// position: where the point's coordinates begin.
PlaneCorners plane_corners(uint64_t position, int plane, int64_t height, int64_t width) {
  PlaneCorners c;
  c.across = plane_tap_of(position, plane_across(plane), width);
  c.down = plane_tap_of(position, plane_down(plane), height);
  const int64_t low = c.down.low * width, high = c.down.high * width;
  c.at[0] = low + c.across.low;
  c.at[1] = low + c.across.high;
  c.at[2] = high + c.across.low;
  c.at[3] = high + c.across.high;
  const REAL right = c.across.weight, left = REAL(1) - right, below = c.down.weight, above = REAL(1) - below;
  c.weight[0] = above * left;
  c.weight[1] = above * right;
  c.weight[2] = below * left;
  c.weight[3] = below * right;
  return c;
}

REAL weight_along(PlaneCorners c, int e, REAL u_across, REAL u_down) {
  const REAL row = (e & 2) != 0 ? c.down.weight : REAL(1) - c.down.weight;
  const REAL row_slope = (e & 2) != 0 ? c.down.slope : -c.down.slope;
  const REAL col = (e & 1) != 0 ? c.across.weight : REAL(1) - c.across.weight;
  const REAL col_slope = (e & 1) != 0 ? c.across.slope : -c.across.slope;
  return u_across * (col_slope * row) + u_down * (col * row_slope);
}

REAL mixed_slope(PlaneCorners c, int e) {
  return (e == 0 || e == 3 ? c.across.slope : -c.across.slope) * c.down.slope;
}

/// gpu::PlaneTangent.
struct PlaneTangent {
  PlaneCorners corners;
  REAL across, down;
};

PlaneTangent plane_tangent(uint64_t x, uint64_t u, int plane, int64_t height, int64_t width) {
  PlaneTangent t;
  t.corners = plane_corners(x, plane, height, width);
  t.across = load(X, u, plane_across(plane));
  t.down = load(X, u, plane_down(plane));
  return t;
}

REAL tangent_weight(PlaneTangent t, int e) { return weight_along(t.corners, e, t.across, t.down); }

//! kernel Triplane
//! real
layout(constant_id = 2) const int PLANES = 1;
layout(constant_id = 3) const int Y = 1;
struct Functor {
  PlaneShape s;
  uint64_t x;
  Memory planes, y;
};
//! functor
void item(int64_t i) {
  const int64_t channels = f.s.channels, height = f.s.height, width = f.s.width, area = height * width;
  const int64_t point = i / (3l * channels), column = i % (3l * channels);
  const PlaneCorners c = plane_corners(point_at(f.x, point), int(column / channels), height, width);
  REAL sum = REAL(0);
  for (int e = 0; e < 4; ++e) sum = fma(c.weight[e], load(PLANES, f.planes.data, column * area + c.at[e]), sum);
  store(Y, f.y.data, i, sum);
}

//! kernel TriplaneGradPlanes
//! real
layout(constant_id = 2) const int G = 1;
struct Functor {
  PlaneShape s;
  uint64_t x;
  Memory g;
  ExactSums sums;
};
//! functor
void item(int64_t i) {
  const int64_t channels = f.s.channels, height = f.s.height, width = f.s.width, area = height * width;
  const int64_t point = i / (3l * channels), column = i % (3l * channels);
  const PlaneCorners c = plane_corners(point_at(f.x, point), int(column / channels), height, width);
  const REAL value = load(G, f.g.data, i);
  for (int e = 0; e < 4; ++e) add(f.sums, column * area + c.at[e], double(c.weight[e] * value));
}

//! kernel TriplaneGradInput
//! real
layout(constant_id = 2) const int PLANES = 1;
layout(constant_id = 3) const int G = 1;
struct Functor {
  PlaneShape s;
  uint64_t x;
  Memory planes, g;
  uint64_t dx;
};
//! functor
void item(int64_t point) {
  const int64_t channels = f.s.channels, height = f.s.height, width = f.s.width, area = height * width;
  REAL sums[3] = REAL[3](REAL(0), REAL(0), REAL(0));
  for (int p = 0; p < 3; ++p) {
    const PlaneCorners c = plane_corners(point_at(f.x, point), p, height, width);
    REAL across = REAL(0), down = REAL(0);
    for (int64_t k = 0l; k < channels; ++k) {
      const int64_t column = int64_t(p) * channels + k;
      REAL v[4];
      for (int e = 0; e < 4; ++e) v[e] = load(PLANES, f.planes.data, column * area + c.at[e]);
      const REAL value = load(G, f.g.data, point * 3l * channels + column);
      across += value * ((REAL(1) - c.down.weight) * (v[1] - v[0]) + c.down.weight * (v[3] - v[2]));
      down += value * ((REAL(1) - c.across.weight) * (v[2] - v[0]) + c.across.weight * (v[3] - v[1]));
    }
    sums[plane_across(p)] += c.across.slope * across;
    sums[plane_down(p)] += c.down.slope * down;
  }
  for (int d = 0; d < 3; ++d) store(X, f.dx, point * 3l + d, sums[d]);
}

//! kernel TriplaneTangent
//! real
layout(constant_id = 2) const int PLANES = 1;
layout(constant_id = 3) const int Y = 1;
struct Functor {
  PlaneShape s;
  uint64_t x, u;
  Memory planes, y;
};
//! functor
void item(int64_t i) {
  const int64_t channels = f.s.channels, height = f.s.height, width = f.s.width, area = height * width;
  const int64_t point = i / (3l * channels), column = i % (3l * channels);
  const PlaneTangent t =
      plane_tangent(point_at(f.x, point), point_at(f.u, point), int(column / channels), height, width);
  REAL sum = REAL(0);
  for (int e = 0; e < 4; ++e)
    sum += tangent_weight(t, e) * load(PLANES, f.planes.data, column * area + t.corners.at[e]);
  store(Y, f.y.data, i, sum);
}

//! kernel TriplaneTangentGradPlanes
//! real
layout(constant_id = 2) const int G = 1;
struct Functor {
  PlaneShape s;
  uint64_t x, u;
  Memory g;
  ExactSums sums;
};
//! functor
void item(int64_t i) {
  const int64_t channels = f.s.channels, height = f.s.height, width = f.s.width, area = height * width;
  const int64_t point = i / (3l * channels), column = i % (3l * channels);
  const PlaneTangent t =
      plane_tangent(point_at(f.x, point), point_at(f.u, point), int(column / channels), height, width);
  const REAL value = load(G, f.g.data, i);
  for (int e = 0; e < 4; ++e) add(f.sums, column * area + t.corners.at[e], double(tangent_weight(t, e) * value));
}

//! kernel TriplaneTangentGradInput
//! real
layout(constant_id = 2) const int PLANES = 1;
layout(constant_id = 3) const int G = 1;
struct Functor {
  PlaneShape s;
  uint64_t x, u;
  Memory planes, g;
  uint64_t dx;
};
//! functor
void item(int64_t point) {
  const int64_t channels = f.s.channels, height = f.s.height, width = f.s.width, area = height * width;
  REAL sums[3] = REAL[3](REAL(0), REAL(0), REAL(0));
  for (int p = 0; p < 3; ++p) {
    const PlaneTangent t = plane_tangent(point_at(f.x, point), point_at(f.u, point), p, height, width);
    REAL mixed = REAL(0);
    for (int64_t k = 0l; k < channels; ++k) {
      const int64_t column = int64_t(p) * channels + k;
      const REAL value = load(G, f.g.data, point * 3l * channels + column);
      for (int e = 0; e < 4; ++e)
        mixed += value * (mixed_slope(t.corners, e) *
                          load(PLANES, f.planes.data, column * area + t.corners.at[e]));
    }
    sums[plane_across(p)] += t.down * mixed;
    sums[plane_down(p)] += t.across * mixed;
  }
  for (int d = 0; d < 3; ++d) store(X, f.dx, point * 3l + d, sums[d]);
}
