// Elementwise ops: casts, arithmetic, clamp, relu, sigmoid, dropout.
#include <cassert>
#include <cmath>

#include "engine/program/adjoint_rules.h"
#include "engine/program/infer_rules.h"
#include "engine/program/product_bias.h"

namespace hw::infer_rules {

Types cast(const Args& a) {
  const CastAttr& attr = a.get<CastAttr>();
  const DType to = attr.dtype;
  if (attr.stochastic && !(info(to).is_float && info(a.in[0].dtype).is_float))
    return wrong_dtype(a, "It rounds stochastically between floats, got " + std::string(name(a.in[0].dtype)) + " to " +
                              std::string(name(to)) + ".");
  if (!info(to).storable) return wrong_dtype(a, std::string(name(to)) + " is a compute mode, never stored.");
  return one(made(to, a.in[0].dims, a.in[0].axes));
}

Types broadcasting(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  auto dims = broadcast(a.in[0].dims, a.in[1].dims);
  if (!dims) {
    Error e = dims.error();
    e.where = a.name();
    return e;
  }
  const Value& named = a.in[0].axes.size() == dims->size() ? a.in[0] : a.in[1];
  return one(made(a.in[0].dtype, *dims, named.axes));
}

Types unary(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types affine(const Args& a) {
  const AffineAttr& attr = a.get<AffineAttr>();
  assert(attr.scale.size() == attr.offset.size());
  if (a.in[0].dims.empty()) return wrong_rank(a, "It wants at least one axis, got a scalar.");
  if (a.in[0].dims.back() != static_cast<int64_t>(attr.scale.size()))
    return wrong_size(a, "The last axis of " + text(a.in[0]) + " must have " + std::to_string(attr.scale.size()) +
                             " channels, one for each factor.");
  return unary(a);
}

Types clamp(const Args& a) {
  const ClampAttr& attr = a.get<ClampAttr>();
  if (!(attr.lo <= attr.hi)) return wrong_attr(a, "The lower bound lies above the upper one.");
  return unary(a);
}

Types scale(const Args& a) {
  (void)a.get<ScaleAttr>();
  return unary(a);
}

Types gradient_scale(const Args& a) {
  const GradientScaleAttr& attr = a.get<GradientScaleAttr>();
  if (!std::isfinite(attr.factor) || (attr.unscale && attr.factor == 0))
    return wrong_attr(a, "The factor must be finite, and not 0 where it is divided out again.");
  return unary(a);
}

Types dropout(const Args& a) {
  const double p = a.get<DropoutAttr>().p;
  if (!(p >= 0 && p <= 1)) return wrong_attr(a, "The share dropped must lie in [0, 1].");
  return unary(a);
}

// (g, x or y): the gradient of a pointwise op.
Types pointwise_gradient(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  if (a.in[0].dims != a.in[1].dims) return wrong_size(a, text(a.in[0]) + " and " + text(a.in[1]) + " differ.");
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types clamp_grad(const Args& a) {
  (void)a.get<ClampAttr>();
  return pointwise_gradient(a);
}

}  // namespace hw::infer_rules

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

void relu_grad(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::relu_grad, {c.g, c.in(1)})[0]);
}

void clamp_grad(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::clamp_grad, {c.g, c.in(1)}, c.i.attr)[0]);
}

void sigmoid_grad(AdjointContext& c) {
  OpBuilder& b = c.b;
  if (c.wants(0)) c.give(0, b.emit(Op::sigmoid_grad, {c.g, c.in(1)})[0]);
  if (c.wants(1)) c.give(1, b.mul(b.mul(wide(b, c.g), wide(b, c.in(0))), linear(b, wide(b, c.in(1)), -2, 1)));
}

}  // namespace hw::adjoint_rules
