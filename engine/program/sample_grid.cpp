#include "engine/program/sample_grid.h"

#include "engine/core/sizes.h"
#include "engine/program/index_ops.h"

namespace hw {
namespace {

using Padding = GridSampling::Padding;

Val number(OpBuilder& b, Val like, double value) {
  return b.constant(Tensor::from_f64(b[like].dtype, {}, {{value}}));
}

// Positions along an axis of `size` pixels, 0 at the centre of the first, from the grid's −1 to 1.
Val position(OpBuilder& b, Val g, int64_t size, const GridSampling& how) {
  const bool corners = how.align_corners;
  const double half = static_cast<double>(corners ? size - 1 : size) / 2, last = static_cast<double>(size - 1);
  Val at = b.add(b.scale(g, half), number(b, g, last / 2));
  if (how.padding == Padding::reflection) {
    const double low = corners ? 0 : -0.5, span = 2 * half;
    if (span > 0) {  // a wave of period 2 · span
      const Val from = b.sub(at, number(b, g, low)), whole = b.unary(UnaryFn::floor, b.scale(from, 1 / (2 * span)));
      const Val within = b.sub(from, b.scale(whole, 2 * span));
      const Val off = b.unary(UnaryFn::abs, b.sub(within, number(b, g, span)));
      at = b.sub(number(b, g, span + low), off);
    }
  }
  if (how.padding == Padding::zeros) return at;
  // NaN is the left or upper end.
  return b.clamp(b.where(b.compare(CompareFn::equal, at, at), at, number(b, g, 0)), 0, last);
}

// Whole numbers `at` moved into [0, size − 1], and whether they were.
struct Place {
  Val index, inside;
};
Place place(OpBuilder& b, Val at, int64_t size) {
  const Val index = b.clamp(at, 0, static_cast<double>(size - 1));
  return {b.cast(index, DType::f64), b.compare(CompareFn::equal, index, at)};
}

}  // namespace

Val sample_grid(OpBuilder& b, Val x, Val positions, const GridSampling& how) {
  if (!b.status()) return {};
  const DType dtype = b[x].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const Dims in = b[x].dims, at = b[positions].dims;
  const int64_t n = in[0], c = in[1], height = in[2], width = in[3];
  const Val grid = b.cast(positions, wide);
  const auto component = [&](int64_t k) { return b.reshape(b.slice(grid, 3, k, k + 1), {at[0], at[1], at[2]}); };
  const Val px = position(b, component(0), width, how), py = position(b, component(1), height, how);
  if (!b.status()) return {};
  const Val table = b.reshape(b.transpose(x, {0, 2, 3, 1}), {size_product({n, height, width}), c});
  const Val pictures =
      b.scale(index_ops::counted(b, DType::f64, n, 3, 0), static_cast<double>(size_product({height, width})));
  const Val none = number(b, px, 0);
  // The pixel at (column, row) times its weight, 0 outside.
  const auto pixel = [&](Val column, Val row, Val weight) {
    const Place u = place(b, column, width), v = place(b, row, height);
    const Val flat = b.add(b.add(b.scale(v.index, static_cast<double>(width)), u.index), pictures);
    weight = b.where(u.inside, b.where(v.inside, weight, none), none);
    const Val colour = b.cast(b.gather(table, b.cast(flat, DType::i64)), wide);
    return b.mul(colour, b.reshape(weight, {at[0], at[1], at[2], 1}));
  };
  const Val one = b.broadcast_to(number(b, px, 1), {at[0], at[1], at[2]});
  Val y;
  if (how.nearest) {
    y = pixel(b.unary(UnaryFn::round, px), b.unary(UnaryFn::round, py), one);
  } else {
    const Val left = b.unary(UnaryFn::floor, px), upper = b.unary(UnaryFn::floor, py);
    const Val right = b.add(left, number(b, px, 1)), lower = b.add(upper, number(b, px, 1));
    const Val to_right = b.sub(px, left), to_lower = b.sub(py, upper);
    const Val to_left = b.sub(one, to_right), to_upper = b.sub(one, to_lower);
    y = b.add(b.add(pixel(left, upper, b.mul(to_left, to_upper)), pixel(right, upper, b.mul(to_right, to_upper))),
              b.add(pixel(left, lower, b.mul(to_left, to_lower)), pixel(right, lower, b.mul(to_right, to_lower))));
    // Between no pixels: the weights of a position that is NaN or Inf are NaN, those outside too.
    const Val nowhere = b.stop_gradient(b.add(b.scale(px, 0), b.scale(py, 0)));
    if (how.padding == Padding::zeros) y = b.add(y, b.reshape(nowhere, {at[0], at[1], at[2], 1}));
  }
  const Val result = b.transpose(b.cast(y, dtype), {0, 3, 1, 2});
  if (b.status()) b.set_axes(result, b[x].axes);
  b.set_same_places({result, {x, positions}, {0}});
  return result;
}

}  // namespace hw
