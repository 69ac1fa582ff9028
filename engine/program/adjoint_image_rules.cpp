// The adjoints of convolution, pooling, resizing and the normalisations.
#include "engine/program/adjoint_rules.h"

namespace hw::adjoint_rules {
namespace {

// One number a channel: the gradient summed over pictures and places.
void give_bias(AdjointContext& c) {
  if (c.i.in.size() < 3 || !c.wants(2) || !c.b.status()) return;
  const int64_t channels = c.dims(2)[0];
  c.give(2, c.b.reshape(c.b.sum_to(c.g, {channels, 1, 1}, c.dtype(2)), {channels}));
}

}  // namespace

void conv2d(AdjointContext& c) {
  ConvAttr attr = c.attr<ConvAttr>();
  attr.dims = c.dims(0);
  if (c.wants(0)) c.give(0, c.b.emit(Op::conv2d_grad_input, {c.g, c.in(1)}, attr)[0]);
  attr.dims = c.dims(1);
  attr.dtype = c.dtype(1);
  if (c.wants(1)) c.give(1, c.b.emit(Op::conv2d_grad_weight, {c.in(0), c.g}, attr)[0]);
  give_bias(c);
}

// Linear in picture and weight; the roles of picture and gradient change places.
void conv2d_grad_input(AdjointContext& c) {
  ConvAttr attr = c.attr<ConvAttr>();
  attr.dims = {};
  if (c.wants(0)) c.give(0, c.b.emit(Op::conv2d, {c.g, c.in(1)}, attr)[0]);
  attr.dims = c.dims(1);
  attr.dtype = c.dtype(1);
  if (c.wants(1)) c.give(1, c.b.emit(Op::conv2d_grad_weight, {c.g, c.in(0)}, attr)[0]);
  give_bias(c);
}

void conv2d_grad_weight(AdjointContext& c) {
  if (!c.b.status()) return;
  ConvAttr attr = c.attr<ConvAttr>();
  const Val g = c.b.cast(c.g, c.b[c.in(0)].dtype);
  attr.dims = {};
  if (c.wants(1)) c.give(1, c.b.emit(Op::conv2d, {c.in(0), g}, attr)[0]);
  attr.dims = c.dims(0);
  if (c.wants(0)) c.give(0, c.b.emit(Op::conv2d_grad_input, {c.in(1), g}, attr)[0]);
}

void max_pool(AdjointContext& c) {
  PoolAttr attr = c.attr<PoolAttr>();
  attr.dims = c.dims(0);
  if (c.wants(0)) c.give(0, c.b.emit(Op::max_pool_grad, {c.g, c.in(0)}, attr)[0]);
}

void avg_pool(AdjointContext& c) {
  PoolAttr attr = c.attr<PoolAttr>();
  attr.dims = c.dims(0);
  if (c.wants(0)) c.give(0, c.b.emit(Op::avg_pool_grad, {c.g}, attr)[0]);
}

void resize(AdjointContext& c) {
  ResizeAttr attr = c.attr<ResizeAttr>();
  attr.dims = c.dims(0);
  if (c.wants(0)) c.give(0, c.b.emit(Op::resize_grad, {c.g}, attr)[0]);
}

namespace {

// Σ g · x̂ and Σ g are the gradients of scale and bias: rows 0 and 1 of [2, C].
void give_row(AdjointContext& c, size_t k, Val sums, int64_t row) {
  if (!c.wants(k) || !c.b.status()) return;
  c.give(k, c.b.reshape(c.b.slice(sums, 0, row, row + 1), c.dims(k)));
}

}  // namespace

void batch_norm(AdjointContext& c) {
  const Val sums = c.b.emit(Op::batch_norm_grad_sums, {c.g, c.in(0), c.in(1)}, c.i.attr)[0];
  give_row(c, 2, sums, 0);
  give_row(c, 3, sums, 1);
  if (!c.wants(0) || !c.b.status()) return;
  c.give(0, c.b.emit(Op::batch_norm_grad_input, {c.g, c.in(0), c.in(1), c.in(2), sums}, c.i.attr)[0]);
}

void group_norm(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::group_norm_grad_input, {c.g, c.in(0), c.in(1)}, c.i.attr)[0]);
  if (!c.wants(1) && !c.wants(2)) return;
  const Val sums = c.b.emit(Op::group_norm_grad_sums, {c.g, c.in(0)}, c.i.attr)[0];
  give_row(c, 1, sums, 0);
  give_row(c, 2, sums, 1);
}

}  // namespace hw::adjoint_rules
