// The functions of unary.def and binary.def, compare, where. At a kink the second derivative is 0.
#include "engine/program/adjoint_rules.h"
#include "engine/program/infer_rules.h"

namespace hw::infer_rules {
namespace {

Status stretches(const Args& a, const Value& v, const Dims& to) {
  const auto stretched = broadcast(to, v.dims);
  if (stretched && *stretched == to) return ok();
  return Error{codes::no_broadcast, a.name(), text(v) + " does not stretch to " + to_string(to) + ".", ""};
}

Result<Dims> joint(const Args& a, const Dims& x, const Dims& y) {
  auto dims = broadcast(x, y);
  if (dims) return dims;
  Error e = dims.error();
  e.where = a.name();
  return e;
}

std::vector<std::string> names_of(const Args& a, const Dims& dims) {
  for (const Value& v : a.in)
    if (v.axes.size() == dims.size() && !v.axes.empty()) return v.axes;
  return {};
}

}  // namespace

Types unary_function(const Args& a) {
  (void)a.get<UnaryAttr>();
  HW_CHECK(one_float_dtype(a));
  const Value& x = a.in.back();
  if (a.in[0].dims != x.dims) return wrong_size(a, text(a.in[0]) + " and " + text(x) + " differ.");
  return one(made(x.dtype, x.dims, x.axes));
}

Types binary_function(const Args& a) {
  (void)a.get<BinaryAttr>();
  HW_CHECK(one_float_dtype(a));
  HW_TRY(Dims dims, joint(a, a.in[0].dims, a.in[1].dims));
  auto names = names_of(a, dims);
  return one(made(a.in[0].dtype, std::move(dims), std::move(names)));
}

Types binary_grad(const Args& a) {
  (void)a.get<BinaryAttr>();
  HW_CHECK(one_float_dtype(a));
  const Value& g = a.in[0];
  HW_CHECK(stretches(a, a.in[1], g.dims));
  HW_CHECK(stretches(a, a.in[2], g.dims));
  return one(made(g.dtype, g.dims, g.axes));
}

Types compare(const Args& a) {
  (void)a.get<CompareAttr>();
  if (a.in[0].dtype != a.in[1].dtype)
    return wrong_dtype(a, "Its inputs are " + text(a.in[0]) + " and " + text(a.in[1]) + "; they must share one dtype.");
  HW_TRY(Dims dims, joint(a, a.in[0].dims, a.in[1].dims));
  auto names = names_of(a, dims);
  return one(made(DType::boolean, std::move(dims), std::move(names)));
}

Types where(const Args& a) {
  if (a.in[0].dtype != DType::boolean) return wrong_dtype(a, "The condition must be bool, got " + text(a.in[0]) + ".");
  HW_CHECK(one_float_dtype({a.op, a.in.subspan(1), a.attr}));
  HW_TRY(const Dims sides, joint(a, a.in[1].dims, a.in[2].dims));
  HW_TRY(Dims dims, joint(a, a.in[0].dims, sides));
  auto names = names_of(a, dims);
  return one(made(a.in[1].dtype, std::move(dims), std::move(names)));
}

}  // namespace hw::infer_rules

namespace hw::adjoint_rules {
namespace {

// h · f'(x)
Val slope(OpBuilder& b, Val h, Val x, const UnaryAttr& attr) {
  return b.emit(Op::unary_grad, {h, x}, attr)[0];
}

// s · (1 − s)
Val sigmoid_slope(OpBuilder& b, Val s) {
  return b.mul(s, linear(b, s, -1, 1));
}

// y where x ≤ bound, else 0.
Val where_at_most(OpBuilder& b, Val x, double bound, Val y) {
  return b.where(b.compare(CompareFn::less_equal, x, number(b, x, bound)), y, number(b, y, 0));
}

// factor · x / (p · x² + q)
Val over_square(OpBuilder& b, Val x, double factor, double p, double q) {
  return b.div(b.scale(x, factor), linear(b, b.mul(x, x), p, q));
}

// h · f''(x); an empty one where f'' is 0 but for kinks.
Val curvature(OpBuilder& b, const UnaryAttr& attr, Val h, Val x) {
  switch (attr.fn) {
    case UnaryFn::leaky_relu:
    case UnaryFn::abs:
    case UnaryFn::neg:
    case UnaryFn::hard_sigmoid:
    case UnaryFn::shrink:
    case UnaryFn::threshold:
    case UnaryFn::floor:
    case UnaryFn::ceil:
    case UnaryFn::round:
    case UnaryFn::sign:
      return {};
    case UnaryFn::elu:
    case UnaryFn::selu:
      return where_at_most(b, x, 0, slope(b, h, x, attr));
    case UnaryFn::exp:
      return slope(b, h, x, attr);
    case UnaryFn::tanh:
      return b.mul(slope(b, h, x, attr), b.scale(b.unary(UnaryFn::tanh, x), -2));
    case UnaryFn::gelu: {  // (2 − x²) · the density
      const Val square = b.mul(x, x), e = b.unary(UnaryFn::exp, b.scale(square, -0.5));
      return b.mul(h, b.mul(linear(b, square, -1, 2), b.scale(e, 0.39894228040143267794)));
    }
    case UnaryFn::gelu_tanh: {  // x · s(u), u = c (x + k x³): s' (2 u' + x ((1 − 2 s) u'² + u''))
      constexpr double c = 1.59576912160573071176, k = 0.044715;
      const Val square = b.mul(x, x), first = linear(b, square, 3 * k * c, c), second = b.scale(x, 6 * k * c);
      const Val s = b.sigmoid(b.mul(x, linear(b, square, k * c, c)));
      const Val bend = b.add(b.mul(linear(b, s, -2, 1), b.mul(first, first)), second);
      return b.mul(h, b.mul(sigmoid_slope(b, s), b.add(b.scale(first, 2), b.mul(x, bend))));
    }
    case UnaryFn::silu: {  // s' (2 + x (1 − 2 s))
      const Val s = b.sigmoid(x);
      return b.mul(h, b.mul(sigmoid_slope(b, s), linear(b, b.mul(x, linear(b, s, -2, 1)), 1, 2)));
    }
    case UnaryFn::softplus:
      return b.mul(h, b.scale(sigmoid_slope(b, b.sigmoid(b.scale(x, attr.a))), attr.a));
    case UnaryFn::log:
      return b.div(slope(b, h, x, attr), b.scale(x, -1));
    case UnaryFn::sqrt:
      return b.div(slope(b, h, x, attr), b.scale(x, -2));
    case UnaryFn::reciprocal:
      return b.div(slope(b, h, x, attr), b.scale(x, -0.5));
    case UnaryFn::sin:
      return b.mul(h, b.scale(b.unary(UnaryFn::sin, x), -1));
    case UnaryFn::cos:
      return b.mul(h, b.scale(b.unary(UnaryFn::cos, x), -1));
    case UnaryFn::huber:
      return where_at_most(b, b.unary(UnaryFn::abs, x), attr.a, h);
    case UnaryFn::hard_swish:
      return where_at_most(b, b.unary(UnaryFn::abs, x), 3, b.scale(h, 1.0 / 3));
    case UnaryFn::celu:
      return where_at_most(b, x, 0, b.scale(slope(b, h, x, attr), 1 / attr.a));
    case UnaryFn::mish: {  // x · t, t = tanh(softplus): t' = (1 − t²) s, t'' = (1 − t²) s (1 − s − 2 t s)
      const Val t = b.unary(UnaryFn::tanh, b.unary(UnaryFn::softplus, x, 1)), s = b.sigmoid(x);
      const Val first = b.mul(linear(b, b.mul(t, t), -1, 1), s);
      const Val bend = b.mul(first, b.sub(linear(b, s, -1, 1), b.scale(b.mul(t, s), 2)));
      return b.mul(h, b.add(b.scale(first, 2), b.mul(x, bend)));
    }
    case UnaryFn::softsign:
      return b.mul(slope(b, h, x, attr),
                   b.scale(b.div(b.unary(UnaryFn::sign, x), linear(b, b.unary(UnaryFn::abs, x), 1, 1)), -2));
    case UnaryFn::erf:
      return b.mul(slope(b, h, x, attr), b.scale(x, -2));
    case UnaryFn::tan:
      return b.mul(slope(b, h, x, attr), b.scale(b.unary(UnaryFn::tan, x), 2));
    case UnaryFn::sinh:
    case UnaryFn::cosh:
      return b.mul(h, b.unary(attr.fn, x));
    case UnaryFn::asin:
    case UnaryFn::acos:
      return b.mul(slope(b, h, x, attr), over_square(b, x, 1, -1, 1));
    case UnaryFn::atanh:
      return b.mul(slope(b, h, x, attr), over_square(b, x, 2, -1, 1));
    case UnaryFn::atan:
      return b.mul(slope(b, h, x, attr), over_square(b, x, -2, 1, 1));
    case UnaryFn::asinh:
      return b.mul(slope(b, h, x, attr), over_square(b, x, -1, 1, 1));
    case UnaryFn::acosh:
      return b.mul(slope(b, h, x, attr), over_square(b, x, -1, 1, -1));
  }
  return {};
}

struct Pair {
  Val x, y;
};

// h · ∂²f/∂x∂w and h · ∂²f/∂y∂w of f(x, y), w the one that the gradient is by.
Pair curvatures(OpBuilder& b, const BinaryAttr& attr, Val h, Val x, Val y) {
  switch (attr.fn) {
    case BinaryFn::min:
    case BinaryFn::max:
      return {};
    case BinaryFn::div: {
      const Val mixed = b.scale(b.div(h, b.mul(y, y)), -1);
      if (attr.wrt == 0) return {{}, mixed};
      return {mixed, b.scale(b.div(b.mul(mixed, x), y), -2)};
    }
    case BinaryFn::atan2: {  // (x² − y²) / (x² + y²)², by one twice ∓2 x y / (x² + y²)²
      const Val xx = b.mul(x, x), yy = b.mul(y, y), square = b.add(xx, yy);
      const Val share = b.div(h, b.mul(square, square));
      const Val mixed = b.mul(share, b.sub(xx, yy)), twice = b.mul(b.mul(share, x), b.scale(y, 2));
      return attr.wrt == 0 ? Pair{b.scale(twice, -1), mixed} : Pair{mixed, twice};
    }
    case BinaryFn::pow: {
      // By x: y (y − 1) x^(y − 2), 0 where y is 0 or 1. Mixed: x^(y − 1) (1 + y ln x). By y: x^y ln² x. The last two
      // are 0 where x is 0.
      const Val zero = number(b, x, 0), log = b.unary(UnaryFn::log, x);
      const auto power = [&](double less) { return b.binary(BinaryFn::pow, x, linear(b, y, 1, -less)); };
      const auto unless_zero = [&](Val of, Val v) { return b.where(b.compare(CompareFn::equal, of, zero), zero, v); };
      const Val mixed = unless_zero(x, b.mul(h, b.mul(power(1), linear(b, b.mul(y, log), 1, 1))));
      if (attr.wrt == 1) return {mixed, unless_zero(x, b.mul(h, b.mul(power(0), b.mul(log, log))))};
      const Val factor = b.mul(y, linear(b, y, 1, -1));
      return {unless_zero(factor, b.mul(h, b.mul(factor, power(2)))), mixed};
    }
  }
  return {};
}

}  // namespace

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

void unary_grad(AdjointContext& c) {
  OpBuilder& b = c.b;
  if (c.wants(0)) c.give(0, b.emit(Op::unary_grad, {c.g, c.in(1)}, c.i.attr)[0]);
  if (!c.wants(1)) return;
  const Val h = b.mul(wide(b, c.g), wide(b, c.in(0)));
  if (const Val bent = curvature(b, c.attr<UnaryAttr>(), h, wide(b, c.in(1)))) c.give(1, bent);
}

void binary_grad(AdjointContext& c) {
  OpBuilder& b = c.b;
  if (c.wants(0)) c.give(0, b.emit(Op::binary_grad, {c.g, c.in(1), c.in(2)}, c.i.attr)[0]);
  if (!c.wants(1) && !c.wants(2)) return;
  const Val h = b.mul(wide(b, c.g), wide(b, c.in(0)));
  const Pair bent = curvatures(b, c.attr<BinaryAttr>(), h, wide(b, c.in(1)), wide(b, c.in(2)));
  if (c.wants(1) && bent.x) c.give(1, bent.x);
  if (c.wants(2) && bent.y) c.give(2, bent.y);
}

}  // namespace hw::adjoint_rules
