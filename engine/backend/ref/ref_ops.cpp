// The elementwise ops, and the table of all.
#include "engine/backend/ref/ref_ops.h"

#include <cmath>

namespace hw::ref {
namespace {

template <class F>
void each(Call& c, F f) {
  for (size_t i = 0; i < c.out[0].size(); ++i) c.out[0][i] = f(c.in[0][i]);
}

template <class F>
void each_pair(Call& c, F f) {
  Wide& out = c.out[0];
  for (size_t i = 0; i < out.size(); ++i)
    out[i] =
        f(c.in[0][broadcast_index(i, out.dims, c.in[0].dims)], c.in[1][broadcast_index(i, out.dims, c.in[1].dims)]);
}

}  // namespace

void gradient_scale(Call& c) {
  each(c, [](double x) { return x; });
}
void stop_gradient(Call& c) {
  each(c, [](double x) { return x; });
}
void add(Call& c) {
  each_pair(c, [](double a, double b) { return a + b; });
}
void sub(Call& c) {
  each_pair(c, [](double a, double b) { return a - b; });
}
void mul(Call& c) {
  each_pair(c, [](double a, double b) { return a * b; });
}
void scale(Call& c) {
  const double factor = c.attr<ScaleAttr>().factor;
  each(c, [=](double x) { return x * factor; });
}
void affine(Call& c) {
  const AffineAttr& a = c.attr<AffineAttr>();
  const size_t channels = a.scale.size();
  for (size_t i = 0; i < c.out[0].size(); ++i)
    c.out[0][i] = c.in[0][i] * a.scale[i % channels] + a.offset[i % channels];
}
void clamp(Call& c) {
  const ClampAttr& a = c.attr<ClampAttr>();
  each(c, [&](double x) { return x > a.hi ? a.hi : x < a.lo ? a.lo : x; });
}
void clamp_grad(Call& c) {
  const ClampAttr& a = c.attr<ClampAttr>();
  each_pair(c, [&](double g, double x) { return a.lo <= x && x <= a.hi ? g : 0.0; });
}
void relu(Call& c) {
  each(c, [](double x) { return x < 0 ? 0.0 : x; });
}
void relu_grad(Call& c) {
  each_pair(c, [](double g, double y) { return y > 0 ? g : 0.0; });
}
void sigmoid(Call& c) {
  each(c, [](double x) { return 1 / (1 + std::exp(-x)); });
}
void sigmoid_grad(Call& c) {
  each_pair(c, [](double g, double y) { return g * y * (1 - y); });
}

size_t broadcast_index(size_t index, const Dims& to, const Dims& from) {
  size_t result = 0, stride = 1;
  const size_t skipped = to.size() - from.size();
  for (size_t d = to.size(); d-- > 0;) {
    const auto size = static_cast<size_t>(to[d]);
    const size_t at = index % size;
    index /= size;
    if (d < skipped) continue;
    const auto own = static_cast<size_t>(from[d - skipped]);
    if (own != 1) result += at * stride;
    stride *= own;
  }
  return result;
}

RefOp ref_op(Op op) {
  static constexpr RefOp kRefOps[] = {
#define HW_OP(name, ...) name,
#include "engine/program/ops.def"
  };
  return kRefOps[static_cast<size_t>(op)];
}

}  // namespace hw::ref
