// ref: the triplane lookup (Chan et al. 2022), as a sum over pixels weighted by tents. The pixel coordinate of an f32
// position is one f32 fma, as its format says; everything after it is f64.
#include <algorithm>
#include <cmath>

#include "engine/backend/ref/ref_ops.h"

namespace hw::ref {
namespace {

constexpr size_t kPlanes = 3;
constexpr size_t kAxes[kPlanes][2] = {{0, 1}, {0, 2}, {1, 2}};  // of the width, of the height

struct Axis {
  double at;     // in pixels, held between the outermost centres; NaN: the first pixel, with weight NaN
  double slope;  // d(at)/d(coordinate)

  Axis(const Wide& x, size_t element, size_t size) {
    const double v = x[element], last = static_cast<double>(size) - 1;
    const double p = x.dtype == DType::f32 ? double{std::fma(static_cast<float>(v), static_cast<float>(size), -0.5f)}
                                           : std::fma(v, static_cast<double>(size), -0.5);
    at = std::isnan(p) ? p : std::clamp(p, 0.0, last);
    slope = p > 0 && p < last ? static_cast<double>(size) : 0;
  }
  bool is_nan() const { return std::isnan(at); }
  size_t first() const { return is_nan() ? 0 : static_cast<size_t>(at); }
  size_t end(size_t size) const { return std::min(first() + (slope == 0 ? 1 : 2), size); }
  double weight(size_t pixel) const {
    return is_nan() ? at : std::max(0.0, 1 - std::abs(at - static_cast<double>(pixel)));
  }
  // The slope of the tent, by the coordinate; at a centre that of the side above.
  double weight_slope(size_t pixel) const {
    const double from = std::floor(at);
    const double p = static_cast<double>(pixel);
    return is_nan() ? at : p == from ? -slope : p == from + 1 ? slope : 0;
  }
};

/// Calls f(point, plane, row, column, across, down) for the pixels that count.
template <class F>
void each_pixel(const Wide& x, const Dims& planes, F f) {
  const auto height = static_cast<size_t>(planes[2]), width = static_cast<size_t>(planes[3]);
  for (size_t n = 0; n < x.size() / 3; ++n) {
    for (size_t p = 0; p < kPlanes; ++p) {
      const Axis across(x, 3 * n + kAxes[p][0], width), down(x, 3 * n + kAxes[p][1], height);
      for (size_t i = down.first(); i < down.end(height); ++i)
        for (size_t j = across.first(); j < across.end(width); ++j) f(n, p, i, j, across, down);
    }
  }
}

struct Sizes {
  size_t channels, height, width;
  explicit Sizes(const Dims& planes)
      : channels(static_cast<size_t>(planes[1])),
        height(static_cast<size_t>(planes[2])),
        width(static_cast<size_t>(planes[3])) {}
  size_t pixel(size_t p, size_t c, size_t i, size_t j) const { return ((p * channels + c) * height + i) * width + j; }
  size_t feature(size_t n, size_t p, size_t c) const { return (n * kPlanes + p) * channels + c; }
};

}  // namespace

void triplane(Call& c) {
  const Sizes s(c.in[1].dims);
  each_pixel(c.in[0], c.in[1].dims, [&](size_t n, size_t p, size_t i, size_t j, const Axis& across, const Axis& down) {
    const double weight = across.weight(j) * down.weight(i);
    for (size_t k = 0; k < s.channels; ++k) c.out[0][s.feature(n, p, k)] += weight * c.in[1][s.pixel(p, k, i, j)];
  });
}

void triplane_grad_planes(Call& c) {
  const Sizes s(c.out[0].dims);
  each_pixel(c.in[0], c.out[0].dims, [&](size_t n, size_t p, size_t i, size_t j, const Axis& across, const Axis& down) {
    const double weight = across.weight(j) * down.weight(i);
    for (size_t k = 0; k < s.channels; ++k) c.out[0][s.pixel(p, k, i, j)] += weight * c.in[1][s.feature(n, p, k)];
  });
}

void triplane_grad_input(Call& c) {
  const Sizes s(c.in[1].dims);
  each_pixel(c.in[0], c.in[1].dims, [&](size_t n, size_t p, size_t i, size_t j, const Axis& across, const Axis& down) {
    double along = 0;
    for (size_t k = 0; k < s.channels; ++k) along += c.in[1][s.pixel(p, k, i, j)] * c.in[2][s.feature(n, p, k)];
    c.out[0][3 * n + kAxes[p][0]] += across.weight_slope(j) * down.weight(i) * along;
    c.out[0][3 * n + kAxes[p][1]] += across.weight(j) * down.weight_slope(i) * along;
  });
}

// The derivative of a pixel's weight along u.
static double along(const Wide& u, size_t n, size_t p, size_t i, size_t j, const Axis& across, const Axis& down) {
  return u[3 * n + kAxes[p][0]] * across.weight_slope(j) * down.weight(i) +
         u[3 * n + kAxes[p][1]] * across.weight(j) * down.weight_slope(i);
}

void triplane_tangent(Call& c) {
  const Sizes s(c.in[1].dims);
  each_pixel(c.in[0], c.in[1].dims, [&](size_t n, size_t p, size_t i, size_t j, const Axis& across, const Axis& down) {
    const double weight = along(c.in[2], n, p, i, j, across, down);
    for (size_t k = 0; k < s.channels; ++k) c.out[0][s.feature(n, p, k)] += weight * c.in[1][s.pixel(p, k, i, j)];
  });
}

void triplane_tangent_grad_planes(Call& c) {
  const Sizes s(c.out[0].dims);
  each_pixel(c.in[0], c.out[0].dims, [&](size_t n, size_t p, size_t i, size_t j, const Axis& across, const Axis& down) {
    const double weight = along(c.in[1], n, p, i, j, across, down);
    for (size_t k = 0; k < s.channels; ++k) c.out[0][s.pixel(p, k, i, j)] += weight * c.in[2][s.feature(n, p, k)];
  });
}

void triplane_tangent_grad_input(Call& c) {
  const Sizes s(c.in[1].dims);
  each_pixel(c.in[0], c.in[1].dims, [&](size_t n, size_t p, size_t i, size_t j, const Axis& across, const Axis& down) {
    double sum = 0;
    for (size_t k = 0; k < s.channels; ++k) sum += c.in[1][s.pixel(p, k, i, j)] * c.in[3][s.feature(n, p, k)];
    const double mixed = across.weight_slope(j) * down.weight_slope(i) * sum;
    c.out[0][3 * n + kAxes[p][0]] += c.in[2][3 * n + kAxes[p][1]] * mixed;
    c.out[0][3 * n + kAxes[p][1]] += c.in[2][3 * n + kAxes[p][0]] * mixed;
  });
}

}  // namespace hw::ref
