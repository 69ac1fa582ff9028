// ref: convolution, pooling and resizing, straight from their definitions.
#include <algorithm>
#include <cmath>

#include "engine/backend/ref/ref_ops.h"

namespace hw::ref {
namespace {

// Row-major index into [a, b, h, w].
size_t at(const Dims& dims, int64_t a, int64_t b, int64_t h, int64_t w) {
  return static_cast<size_t>(((a * dims[1] + b) * dims[2] + h) * dims[3] + w);
}

// f(index into x, into the weight, into y) for every product of a convolution.
template <class F>
void each_product(const ConvAttr& a, const Dims& x, const Dims& w, const Dims& y, F f) {
  const int64_t out_per_group = w[0] / a.groups;
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t o = 0; o < y[1]; ++o)
      for (int64_t i = 0; i < y[2]; ++i)
        for (int64_t j = 0; j < y[3]; ++j)
          for (int64_t c = 0; c < w[1]; ++c)
            for (int64_t p = 0; p < w[2]; ++p)
              for (int64_t q = 0; q < w[3]; ++q) {
                const int64_t h = i * a.stride[0] - a.pad_begin[0] + p * a.dilation[0];
                const int64_t v = j * a.stride[1] - a.pad_begin[1] + q * a.dilation[1];
                if (h < 0 || h >= x[2] || v < 0 || v >= x[3]) continue;
                f(at(x, n, o / out_per_group * w[1] + c, h, v), at(w, o, c, p, q), at(y, n, o, i, j));
              }
}

// The elements [begin, end) of an axis of `size` elements that window i covers.
struct Span {
  int64_t begin = 0, end = 0;
};
Span window(const PoolAttr& a, size_t axis, int64_t i, int64_t size) {
  if (!a.adaptive) {
    const int64_t first = i * a.stride[axis] - a.pad_begin[axis];
    return {std::max(first, int64_t{0}), std::min(first + a.kernel[axis], size)};
  }
  const int64_t windows = a.size[axis];
  return {i * size / windows, ((i + 1) * size + windows - 1) / windows};
}

// f(index into x, index into y) for every element of every window that lies inside the picture.
template <class F>
void each_tap(const PoolAttr& a, const Dims& x, const Dims& y, F f) {
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t c = 0; c < y[1]; ++c)
      for (int64_t i = 0; i < y[2]; ++i)
        for (int64_t j = 0; j < y[3]; ++j) {
          const Span down = window(a, 0, i, x[2]), across = window(a, 1, j, x[3]);
          for (int64_t h = down.begin; h < down.end; ++h)
            for (int64_t v = across.begin; v < across.end; ++v) f(at(x, n, c, h, v), at(y, n, c, i, j));
        }
}

// Where the maximum of each window lies: the first one, or the first NaN.
std::vector<size_t> argmax(const PoolAttr& a, const Wide& x, const Dims& y) {
  constexpr size_t kNone = ~size_t{0};
  std::vector<size_t> best(static_cast<size_t>(element_count(y)), kNone);
  each_tap(a, x.dims, y, [&](size_t from, size_t to) {
    size_t& b = best[to];
    if (b == kNone || x[from] > x[b] || (std::isnan(x[from]) && !std::isnan(x[b]))) b = from;
  });
  return best;
}

// What each window is divided by.
std::vector<double> divisors(const PoolAttr& a, const Dims& x, const Dims& y) {
  const bool whole = a.count_padding && !a.adaptive;
  std::vector<double> count(static_cast<size_t>(element_count(y)),
                            whole ? static_cast<double>(a.kernel[0] * a.kernel[1]) : 0.0);
  if (!whole) each_tap(a, x, y, [&](size_t, size_t to) { count[to] += 1; });
  return count;
}

// The elements that a resized one is made of, with their weights.
struct Shares {
  int64_t element[2] = {0, 0}, count = 1;
  double weight[2] = {1, 0};
};
// Two along an axis, the second with weight 0 at a centre and the last one twice at the end, where 0 · Inf is NaN as in
// PyTorch.
Shares shares(const ResizeAttr& a, int64_t size, int64_t resized, int64_t i) {
  if (a.kind == ResizeAttr::Kind::nearest) return {{i * size / resized, 0}};
  const auto in = static_cast<double>(size), out = static_cast<double>(resized), at = static_cast<double>(i);
  double source = a.align_corners ? (out > 1 ? at * (in - 1) / (out - 1) : 0.0) : (at + 0.5) * in / out - 0.5;
  source = std::min(std::max(source, 0.0), in - 1);
  const auto first = static_cast<int64_t>(std::floor(source));
  const double beyond = source - static_cast<double>(first);
  return {{first, std::min(first + 1, size - 1)}, 2, {1 - beyond, beyond}};
}

// f(index into x, index into y, weight) for every element that a resized one is made of.
template <class F>
void each_share(const ResizeAttr& a, const Dims& x, const Dims& y, F f) {
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t c = 0; c < y[1]; ++c)
      for (int64_t i = 0; i < y[2]; ++i)
        for (int64_t j = 0; j < y[3]; ++j) {
          const Shares down = shares(a, x[2], y[2], i), across = shares(a, x[3], y[3], j);
          for (int64_t h = 0; h < down.count; ++h)
            for (int64_t v = 0; v < across.count; ++v)
              f(at(x, n, c, down.element[h], across.element[v]), at(y, n, c, i, j), down.weight[h] * across.weight[v]);
        }
}

// One number a channel of the result, where there is a bias.
void add_bias(Call& c) {
  if (c.in.size() < 3 || c.out[0].size() == 0) return;
  const Dims& dims = c.out[0].dims;
  const auto area = static_cast<size_t>(dims[2] * dims[3]), channels = static_cast<size_t>(dims[1]);
  for (size_t i = 0; i < c.out[0].size(); ++i) c.out[0][i] += c.in[2][i / area % channels];
}

}  // namespace

void conv2d(Call& c) {
  const auto compute = c.attr<ConvAttr>().compute;
  const Wide x = factor(c.in[0], compute), w = factor(c.in[1], compute);
  Wide& y = c.out[0];
  each_product(c.attr<ConvAttr>(), x.dims, w.dims, y.dims, [&](size_t i, size_t k, size_t o) { y[o] += x[i] * w[k]; });
  add_bias(c);
}

void conv2d_grad_input(Call& c) {
  const auto compute = c.attr<ConvAttr>().compute;
  const Wide g = factor(c.in[0], compute), w = factor(c.in[1], compute);
  Wide& dx = c.out[0];
  each_product(c.attr<ConvAttr>(), dx.dims, w.dims, g.dims,
               [&](size_t i, size_t k, size_t o) { dx[i] += g[o] * w[k]; });
  add_bias(c);
}

void conv2d_grad_weight(Call& c) {
  const auto compute = c.attr<ConvAttr>().compute;
  const Wide x = factor(c.in[0], compute), g = factor(c.in[1], compute);
  Wide& dw = c.out[0];
  each_product(c.attr<ConvAttr>(), x.dims, dw.dims, g.dims,
               [&](size_t i, size_t k, size_t o) { dw[k] += x[i] * g[o]; });
}

void max_pool(Call& c) {
  const std::vector<size_t> best = argmax(c.attr<PoolAttr>(), c.in[0], c.out[0].dims);
  for (size_t i = 0; i < best.size(); ++i) c.out[0][i] = c.in[0][best[i]];
}

void max_pool_grad(Call& c) {
  const std::vector<size_t> best = argmax(c.attr<PoolAttr>(), c.in[1], c.in[0].dims);
  for (size_t i = 0; i < best.size(); ++i) c.out[0][best[i]] += c.in[0][i];
}

void avg_pool(Call& c) {
  const PoolAttr& a = c.attr<PoolAttr>();
  const std::vector<double> count = divisors(a, c.in[0].dims, c.out[0].dims);
  each_tap(a, c.in[0].dims, c.out[0].dims, [&](size_t from, size_t to) { c.out[0][to] += c.in[0][from] / count[to]; });
}

void avg_pool_grad(Call& c) {
  const PoolAttr& a = c.attr<PoolAttr>();
  const std::vector<double> count = divisors(a, c.out[0].dims, c.in[0].dims);
  each_tap(a, c.out[0].dims, c.in[0].dims, [&](size_t from, size_t to) { c.out[0][from] += c.in[0][to] / count[to]; });
}

void resize(Call& c) {
  each_share(c.attr<ResizeAttr>(), c.in[0].dims, c.out[0].dims,
             [&](size_t from, size_t to, double weight) { c.out[0][to] += weight * c.in[0][from]; });
}

void resize_grad(Call& c) {
  each_share(c.attr<ResizeAttr>(), c.out[0].dims, c.in[0].dims,
             [&](size_t from, size_t to, double weight) { c.out[0][from] += weight * c.in[0][to]; });
}

}  // namespace hw::ref
