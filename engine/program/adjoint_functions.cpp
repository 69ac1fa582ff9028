// Adjoints of the function tables' ops, of softmax and of indices.
#include "engine/program/adjoint_rules.h"

namespace hw::adjoint_rules {

void unary(AdjointContext& c) {
  const UnaryFn fn = c.attr<UnaryAttr>().fn;
  const bool steps = fn == UnaryFn::floor || fn == UnaryFn::ceil || fn == UnaryFn::round || fn == UnaryFn::sign;
  if (steps) return;  // flat between them
  if (c.wants(0)) c.give(0, c.b.emit(Op::unary_grad, {c.g, c.in(0)}, c.i.attr)[0]);
}

void binary(AdjointContext& c) {
  BinaryAttr attr = c.attr<BinaryAttr>();
  for (attr.wrt = 0; attr.wrt < 2; ++attr.wrt)
    if (const auto k = static_cast<size_t>(attr.wrt); c.wants(k))
      c.give(k, c.b.emit(Op::binary_grad, {c.g, c.in(0), c.in(1)}, attr)[0]);
}

void where(AdjointContext& c) {
  if (!c.b.status()) return;
  const Val zero = c.b.constant(Tensor::zeros(c.b[c.g].dtype, {}));
  if (c.wants(1)) c.give(1, c.b.where(c.in(0), c.g, zero));
  if (c.wants(2)) c.give(2, c.b.where(c.in(0), zero, c.g));
}

// Elements that share the extreme share its gradient, as torch.amax does. Counted in f32 (f64).
void reduce(AdjointContext& c) {
  if (!c.wants(0) || !c.b.status()) return;
  const DType dtype = c.b[c.in(0)].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const Val extreme = c.b.compare(CompareFn::equal, c.in(0), c.out());
  const Val mask = c.b.cast(extreme, wide);
  if (!c.b.status()) return;
  const Val count = c.b.sum_to(mask, c.b[c.out()].dims, wide);
  c.give(0, c.b.mul(mask, c.b.div(c.b.cast(c.g, wide), count)));
}

void softmax(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::softmax_grad, {c.g, c.out()}, c.i.attr)[0]);
}

void gather_elements(AdjointContext& c) {
  AxisAttr attr = c.attr<AxisAttr>();
  attr.size = c.dims(0)[static_cast<size_t>(attr.axis)];
  if (c.wants(0)) c.give(0, c.b.emit(Op::gather_elements_grad, {c.g, c.in(1)}, attr)[0]);
}

}  // namespace hw::adjoint_rules
