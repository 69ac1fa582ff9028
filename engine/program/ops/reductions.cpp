// Sums and other folds, broadcasting, softmax and argmax along an axis.
#include <algorithm>

#include "engine/program/adjoint_rules.h"
#include "engine/program/infer_rules.h"

namespace hw::infer_rules {

Types sum_to(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const DimsAttr& attr = a.get<DimsAttr>();
  HW_CHECK(float_output(a, attr.dtype));
  const auto stretched = broadcast(attr.dims, a.in[0].dims);
  if (!stretched || *stretched != a.in[0].dims)
    return Error{codes::no_broadcast, a.name(), text(a.in[0]) + " does not sum down to " + to_string(attr.dims) + ".",
                 ""};
  return one(made(attr.dtype, attr.dims, a.in[0].axes));
}

Types broadcast_to(const Args& a) {
  HW_CHECK(one_dtype(a));
  const Dims& to = a.get<DimsAttr>().dims;
  const auto stretched = broadcast(to, a.in[0].dims);
  if (!stretched || *stretched != to)
    return Error{codes::no_broadcast, a.name(), text(a.in[0]) + " does not stretch to " + to_string(to) + ".", ""};
  return one(made(a.in[0].dtype, to, a.in[0].axes));
}

Types reduce(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const ReduceAttr& attr = a.get<ReduceAttr>();
  const auto stretched = broadcast(attr.dims, a.in[0].dims);
  if (!stretched || *stretched != a.in[0].dims)
    return Error{codes::no_broadcast, a.name(), text(a.in[0]) + " does not reduce to " + to_string(attr.dims) + ".",
                 ""};
  return one(made(a.in[0].dtype, attr.dims, a.in[0].axes));
}

Types softmax(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const Value& x = a.in.back();
  HW_CHECK(axis_within(a, a.get<SoftmaxAttr>().axis, x.dims.size()));
  if (a.in[0].dims != x.dims) return wrong_size(a, text(a.in[0]) + " and " + text(x) + " differ.");
  return one(made(x.dtype, x.dims, x.axes));
}

Types argmax(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const int axis = a.get<AxisAttr>().axis;
  HW_CHECK(axis_within(a, axis, a.in[0].dims.size()));
  Value out = made(DType::i64, a.in[0].dims, a.in[0].axes);
  if (out.dims[static_cast<size_t>(axis)] == 0)
    return wrong_size(a, "There is no largest of none in " + text(a.in[0]) + ".");
  erase_axis(out.dims, axis);
  erase_axis(out.axes, axis);
  return one(std::move(out));
}

}  // namespace hw::infer_rules

namespace hw::adjoint_rules {

void sum_to(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.broadcast_to(c.b.cast(c.g, c.dtype(0)), c.dims(0)));
}

void broadcast_to(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.g);
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

// out = y · (g − Σ g·y), of a logarithm out = g − exp(y) · Σ g.
void softmax_grad(AdjointContext& c) {
  OpBuilder& b = c.b;
  if (!b.status()) return;
  const SoftmaxAttr& attr = c.attr<SoftmaxAttr>();
  const Val up = wide(b, c.g), g = wide(b, c.in(0)), y = wide(b, c.in(1));
  const auto sum = [&](Val x) { return b.sum(x, {attr.axis}, true); };
  if (!attr.log) {
    if (c.wants(0)) c.give(0, b.emit(Op::softmax_grad, {c.g, c.in(1)}, attr)[0]);
    if (c.wants(1)) c.give(1, b.sub(b.mul(up, b.sub(g, sum(b.mul(g, y)))), b.mul(g, sum(b.mul(up, y)))));
    return;
  }
  const Val p = b.unary(UnaryFn::exp, y);
  if (c.wants(0)) c.give(0, b.sub(up, sum(b.mul(up, p))));
  if (c.wants(1)) c.give(1, b.scale(b.mul(b.mul(up, p), sum(g)), -1));
}

}  // namespace hw::adjoint_rules
