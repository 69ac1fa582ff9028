// The ref op table, and the elementwise ops.
#include "engine/backend/ref/ref_ops.h"

#include <cmath>

#include "engine/program/op_table.h"

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

void identity(Call& c) {
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

constexpr OpRow<RefOp> kRows[] = {
    {Op::cast, cast},
    {Op::add, add},
    {Op::sub, sub},
    {Op::mul, mul},
    {Op::scale, scale},
    {Op::affine, affine},
    {Op::clamp, clamp},
    {Op::clamp_grad, clamp_grad},
    {Op::relu, relu},
    {Op::relu_grad, relu_grad},
    {Op::gradient_scale, identity},
    {Op::sigmoid, sigmoid},
    {Op::sigmoid_grad, sigmoid_grad},
    {Op::unary, unary},
    {Op::unary_grad, unary_grad},
    {Op::binary, binary},
    {Op::binary_grad, binary_grad},
    {Op::compare, compare},
    {Op::where, where},
    {Op::stop_gradient, identity},
    {Op::dropout, dropout},
    {Op::matmul, matmul},
    {Op::matmul_tn, matmul_tn},
    {Op::batch_matmul, batch_matmul},
    {Op::sum_to, sum_to},
    {Op::reduce, reduce},
    {Op::softmax, softmax},
    {Op::softmax_grad, softmax_grad},
    {Op::argmax, argmax},
    {Op::gather_elements, gather_elements},
    {Op::gather_elements_grad, gather_elements_grad},
    {Op::gather, gather},
    {Op::gather_grad, gather_grad},
    {Op::broadcast_to, broadcast_to},
    {Op::reshape, reshape},
    {Op::concat, concat},
    {Op::slice, slice},
    {Op::pad, pad},
    {Op::transpose, transpose},
    {Op::hash_grid, hash_grid},
    {Op::hash_grid_grad_table, hash_grid_grad_table},
    {Op::hash_grid_grad_input, hash_grid_grad_input},
    {Op::hash_grid_tangent, hash_grid_tangent},
    {Op::hash_grid_tangent_grad_table, hash_grid_tangent_grad_table},
    {Op::hash_grid_tangent_grad_input, hash_grid_tangent_grad_input},
    {Op::triplane, triplane},
    {Op::triplane_grad_planes, triplane_grad_planes},
    {Op::triplane_grad_input, triplane_grad_input},
    {Op::triplane_tangent, triplane_tangent},
    {Op::triplane_tangent_grad_planes, triplane_tangent_grad_planes},
    {Op::triplane_tangent_grad_input, triplane_tangent_grad_input},
    {Op::conv2d, conv2d},
    {Op::conv2d_grad_input, conv2d_grad_input},
    {Op::conv2d_grad_weight, conv2d_grad_weight},
    {Op::max_pool, max_pool},
    {Op::max_pool_grad, max_pool_grad},
    {Op::avg_pool, avg_pool},
    {Op::avg_pool_grad, avg_pool_grad},
    {Op::resize, resize},
    {Op::resize_grad, resize_grad},
    {Op::channel_moments, channel_moments},
    {Op::batch_norm, batch_norm},
    {Op::batch_norm_grad_sums, batch_norm_grad_sums},
    {Op::batch_norm_grad_input, batch_norm_grad_input},
    {Op::moments_update, moments_update},
    {Op::group_norm, group_norm},
    {Op::group_norm_grad_input, group_norm_grad_input},
    {Op::group_norm_grad_sums, group_norm_grad_sums},
    {Op::sample_surface, sample_surface},
    {Op::sample_image, sample_image},
    {Op::sample_rows, sample_rows},
    {Op::random, random},
    {Op::gradient_norm, gradient_norm},
    {Op::check_finite, check_finite},
#define HW_UPDATE(name, ...) {Op::name##_update, name##_update},
#include "engine/program/optimisers.def"
    {Op::loss_scale_update, loss_scale_update},
    {Op::accumulate, accumulate},
    {Op::average_update, average_update},
};
constexpr auto kRefOps = complete_table<kRows>();

}  // namespace

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
  return kRefOps[static_cast<size_t>(op)];
}

}  // namespace hw::ref
