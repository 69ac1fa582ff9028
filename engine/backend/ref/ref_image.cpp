// ref: convolution and pooling, straight from their definitions.
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

// f(index into x, element inside the picture?, index into y) for every element of every window.
template <class F>
void each_tap(const PoolAttr& a, const Dims& x, const Dims& y, F f) {
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t c = 0; c < y[1]; ++c)
      for (int64_t i = 0; i < y[2]; ++i)
        for (int64_t j = 0; j < y[3]; ++j)
          for (int64_t p = 0; p < a.kernel[0]; ++p)
            for (int64_t q = 0; q < a.kernel[1]; ++q) {
              const int64_t h = i * a.stride[0] - a.pad_begin[0] + p, v = j * a.stride[1] - a.pad_begin[1] + q;
              if (h >= 0 && h < x[2] && v >= 0 && v < x[3]) f(at(x, n, c, h, v), at(y, n, c, i, j));
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

}  // namespace

void conv2d(Call& c) {
  const Wide &x = c.in[0], &w = c.in[1];
  Wide& y = c.out[0];
  each_product(c.attr<ConvAttr>(), x.dims, w.dims, y.dims, [&](size_t i, size_t k, size_t o) { y[o] += x[i] * w[k]; });
}

void conv2d_grad_input(Call& c) {
  const Wide &g = c.in[0], &w = c.in[1];
  Wide& dx = c.out[0];
  each_product(c.attr<ConvAttr>(), dx.dims, w.dims, g.dims,
               [&](size_t i, size_t k, size_t o) { dx[i] += g[o] * w[k]; });
}

void conv2d_grad_weight(Call& c) {
  const Wide &x = c.in[0], &g = c.in[1];
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

}  // namespace hw::ref
