// The adjoints of arithmetic, products, layout and grids.
#include "engine/program/adjoint_rules.h"

#include <algorithm>

namespace hw::adjoint_rules {

void stop_gradient(AdjointContext&) {}  // no gradient passes, and that is meant

void cast(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.g);
}

void add(AdjointContext& c) {
  for (size_t k : {0, 1})
    if (c.wants(k)) c.give(k, c.g);
}

void sub(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.g);
  if (c.wants(1)) c.give(1, c.b.scale(c.fit(1, c.g), -1));
}

void mul(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.mul(c.g, c.in(1)));
  if (c.wants(1)) c.give(1, c.b.mul(c.g, c.in(0)));
}

void scale(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.scale(c.g, c.attr<ScaleAttr>().factor));
}

void affine(AdjointContext& c) {
  const std::vector<double>& factors = c.attr<AffineAttr>().scale;
  if (c.wants(0)) c.give(0, c.b.affine(c.g, factors, std::vector<double>(factors.size(), 0.0)));
}

void clamp(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::clamp_grad, {c.g, c.in(0)}, c.i.attr)[0]);
}

void relu(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::relu_grad, {c.g, c.out()})[0]);
}

void sigmoid(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::sigmoid_grad, {c.g, c.out()})[0]);
}

void gradient_scale(AdjointContext& c) {
  const GradientScaleAttr& attr = c.attr<GradientScaleAttr>();
  if (!c.wants(0)) return;
  c.give(0, c.b.scale(c.g, attr.factor));
  if (attr.unscale) c.pending = attr.factor;
}

// The mask is a function of (seed, stream, step, element): the same op gives it again.
void dropout(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::dropout, {c.g}, c.i.attr)[0]);
}

void matmul(AdjointContext& c) {
  const MatmulAttr& attr = c.attr<MatmulAttr>();
  if (c.wants(0)) c.give(0, c.b.matmul(c.g, c.in(1), !attr.transpose_b, attr.compute));
  if (c.i.in.size() > 2 && c.wants(2)) c.give(2, c.g);
  if (!c.wants(1)) return;
  c.give(1, attr.transpose_b ? c.b.matmul_tn(c.g, c.in(0), c.dtype(1), attr.compute)
                             : c.b.matmul_tn(c.in(0), c.g, c.dtype(1), attr.compute));
}

// out = A · B, where A and B are the inputs, each transposed where its flag says so.
void batch_matmul(AdjointContext& c) {
  const bool tb = c.attr<MatmulAttr>().transpose_b, ta = c.attr<MatmulAttr>().transpose_a;
  const auto product = [&](Val a, Val b, bool transpose_a, bool transpose_b) {
    return c.b.batch_matmul(a, b, transpose_a, transpose_b, c.attr<MatmulAttr>().compute);
  };
  if (c.wants(0)) c.give(0, ta ? product(c.in(1), c.g, tb, true) : product(c.g, c.in(1), false, !tb));
  if (c.wants(1)) c.give(1, tb ? product(c.g, c.in(0), true, ta) : product(c.in(0), c.g, !ta, false));
}

// out = aᵀ b: da = b · outᵀ, db = a · out.
void matmul_tn(AdjointContext& c) {
  if (!c.b.status()) return;
  const Val g = c.b.cast(c.g, c.b[c.in(0)].dtype);
  const std::optional<DType> compute = c.attr<MatmulAttr>().compute;
  if (c.wants(0)) c.give(0, c.b.matmul(c.in(1), g, true, compute));
  if (c.wants(1)) c.give(1, c.b.matmul(c.in(0), g, false, compute));
}

void sum_to(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.broadcast_to(c.b.cast(c.g, c.dtype(0)), c.dims(0)));
}

void broadcast_to(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.g);
}

void reshape(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.reshape(c.g, c.dims(0)));
}

void concat(AdjointContext& c) {
  const int axis = c.attr<AxisAttr>().axis;
  int64_t begin = 0;
  for (size_t k = 0; k < c.i.in.size(); ++k) {
    const int64_t size = c.dims(k)[static_cast<size_t>(axis)];
    if (c.wants(k)) c.give(k, c.b.slice(c.g, axis, begin, begin + size));
    begin += size;
  }
}

void slice(AdjointContext& c) {
  AxisAttr attr = c.attr<AxisAttr>();
  attr.size = c.dims(0)[static_cast<size_t>(attr.axis)];
  attr.fill = 0;
  if (c.wants(0)) c.give(0, c.b.emit(Op::pad, {c.g}, attr)[0]);
}

void pad(AdjointContext& c) {
  const AxisAttr& attr = c.attr<AxisAttr>();
  if (c.wants(0)) c.give(0, c.b.slice(c.g, attr.axis, attr.begin, attr.end));
}

void transpose(AdjointContext& c) {
  const std::vector<int>& order = c.attr<PermuteAttr>().order;
  std::vector<int> inverse(order.size());
  for (size_t d = 0; d < order.size(); ++d) inverse[static_cast<size_t>(order[d])] = static_cast<int>(d);
  if (c.wants(0)) c.give(0, c.b.transpose(c.g, std::move(inverse)));
}

void hash_grid(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::hash_grid_grad_input, {c.in(0), c.in(1), c.g}, c.i.attr)[0]);
  if (!c.wants(1)) return;
  const std::vector<Val> made = c.b.emit(Op::hash_grid_grad_table, {c.in(0), c.g}, c.i.attr);
  // Optimisers read a parameter's gradient as it is stored: one in f16 stays so.
  const auto is_table = [&](const Param& p) { return p.view == c.i.in[1]; };
  const auto& params = c.b.program().params;
  if (c.attr<HashGridAttr>().gradient == DType::f16 && std::any_of(params.begin(), params.end(), is_table))
    c.given[1] = {made[0], made[1]};
  else
    c.give(1, made[0], made[1]);
}

void gather(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::gather_grad, {c.g, c.in(1)}, DimsAttr{c.dims(0)})[0]);
}

void triplane(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::triplane_grad_input, {c.in(0), c.in(1), c.g})[0]);
  if (c.wants(1)) c.give(1, c.b.emit(Op::triplane_grad_planes, {c.in(0), c.g}, DimsAttr{c.dims(1)})[0]);
}

}  // namespace hw::adjoint_rules
