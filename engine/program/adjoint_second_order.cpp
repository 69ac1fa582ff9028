// Adjoints of the ops that adjoints are made of, from which second derivatives follow: of a field's gradient in a loss,
// such as an eikonal term. At a kink the second derivative is 0.
#include "engine/program/adjoint_rules.h"

namespace hw::adjoint_rules {
namespace {

/// Formulas of several ops, in f32 at least: what is given is rounded once.
class Formula {
 public:
  explicit Formula(AdjointContext& c) : b_(c.b) {}

  Val wide(Val x) {
    if (!b_.status()) return {};
    const DType dtype = b_[x].dtype;
    return dtype == DType::f64 ? x : b_.cast(x, DType::f32);
  }
  Val product(Val x, Val y) { return b_.mul(x, y); }
  Val quotient(Val x, Val y) { return b_.div(x, y); }
  Val add(Val x, Val y) { return b_.add(x, y); }
  Val minus(Val x, Val y) { return b_.sub(x, y); }
  Val sigmoid(Val x) { return b_.sigmoid(x); }
  Val binary(BinaryFn fn, Val x, Val y) { return b_.binary(fn, x, y); }
  Val compare(CompareFn fn, Val x, Val y) { return b_.compare(fn, x, y); }
  Val choose(Val condition, Val x, Val y) { return b_.where(condition, x, y); }
  /// factor · x + offset
  Val linear(Val x, double factor, double offset) { return b_.add(b_.scale(x, factor), number(x, offset)); }
  Val number(Val like, double value) {
    if (!b_.status()) return {};
    return b_.constant(Tensor::from_f64(b_[like].dtype, {}, std::vector<double>(1, value)));
  }
  Val function(UnaryFn fn, Val x, double a = 0, double b = 0) { return b_.unary(fn, x, a, b); }
  /// g · f'(x)
  Val slope(Val g, Val x, const UnaryAttr& attr) { return b_.emit(Op::unary_grad, {g, x}, attr)[0]; }
  /// s · (1 − s)
  Val sigmoid_slope(Val s) { return product(s, linear(s, -1, 1)); }
  /// Where `fn` holds between x and a number, y; else 0.
  Val where(CompareFn fn, Val x, double bound, Val y) {
    return b_.where(b_.compare(fn, x, number(x, bound)), y, number(y, 0));
  }

 private:
  OpBuilder& b_;
};

// h · f''(x); an empty one where f'' is 0 but for kinks.
Val curvature(Formula& f, const UnaryAttr& attr, Val h, Val x) {
  switch (attr.fn) {
    case UnaryFn::leaky_relu:
    case UnaryFn::abs:
    case UnaryFn::neg:
      return {};
    case UnaryFn::elu:
      return f.where(CompareFn::less_equal, x, 0, f.slope(h, x, attr));
    case UnaryFn::exp:
      return f.slope(h, x, attr);
    case UnaryFn::tanh:
      return f.product(f.slope(h, x, attr), f.linear(f.function(UnaryFn::tanh, x), -2, 0));
    case UnaryFn::gelu: {  // (2 − x²) · the density
      const Val square = f.product(x, x), e = f.function(UnaryFn::exp, f.linear(square, -0.5, 0));
      return f.product(h, f.product(f.linear(square, -1, 2), f.linear(e, 0.39894228040143267794, 0)));
    }
    case UnaryFn::gelu_tanh: {  // x · s(u), u = c (x + k x³): s' (2 u' + x ((1 − 2 s) u'² + u''))
      constexpr double c = 1.59576912160573071176, k = 0.044715;
      const Val square = f.product(x, x), first = f.linear(square, 3 * k * c, c), second = f.linear(x, 6 * k * c, 0);
      const Val s = f.sigmoid(f.product(x, f.linear(square, k * c, c)));
      const Val bend = f.add(f.product(f.linear(s, -2, 1), f.product(first, first)), second);
      return f.product(h, f.product(f.sigmoid_slope(s), f.add(f.linear(first, 2, 0), f.product(x, bend))));
    }
    case UnaryFn::silu: {  // s' (2 + x (1 − 2 s))
      const Val s = f.sigmoid(x);
      return f.product(h, f.product(f.sigmoid_slope(s), f.linear(f.product(x, f.linear(s, -2, 1)), 1, 2)));
    }
    case UnaryFn::softplus:
      return f.product(h, f.linear(f.sigmoid_slope(f.sigmoid(f.linear(x, attr.a, 0))), attr.a, 0));
    case UnaryFn::log:
      return f.quotient(f.slope(h, x, attr), f.linear(x, -1, 0));
    case UnaryFn::sqrt:
      return f.quotient(f.slope(h, x, attr), f.linear(x, -2, 0));
    case UnaryFn::reciprocal:
      return f.quotient(f.slope(h, x, attr), f.linear(x, -0.5, 0));
    case UnaryFn::sin:
      return f.product(h, f.linear(f.function(UnaryFn::sin, x), -1, 0));
    case UnaryFn::cos:
      return f.product(h, f.linear(f.function(UnaryFn::cos, x), -1, 0));
    case UnaryFn::huber:
      return f.where(CompareFn::less_equal, f.function(UnaryFn::abs, x), attr.a, h);
  }
  return {};
}

struct Pair {
  Val a, b;
};

// h · ∂²f/∂a∂w and h · ∂²f/∂b∂w, w the one that the gradient is by.
Pair curvatures(Formula& f, const BinaryAttr& attr, Val h, Val a, Val b) {
  switch (attr.fn) {
    case BinaryFn::min:
    case BinaryFn::max:
      return {};
    case BinaryFn::div: {
      const Val mixed = f.linear(f.quotient(h, f.product(b, b)), -1, 0);
      if (attr.wrt == 0) return {{}, mixed};
      return {mixed, f.linear(f.quotient(f.product(mixed, a), b), -2, 0)};
    }
    case BinaryFn::atan2: {  // (a² − b²) / (a² + b²)², by one twice ∓2 a b / (a² + b²)²
      const Val aa = f.product(a, a), bb = f.product(b, b), square = f.add(aa, bb);
      const Val share = f.quotient(h, f.product(square, square));
      const Val mixed = f.product(share, f.minus(aa, bb)), twice = f.product(f.product(share, a), f.linear(b, 2, 0));
      return attr.wrt == 0 ? Pair{f.linear(twice, -1, 0), mixed} : Pair{mixed, twice};
    }
    case BinaryFn::pow: {
      // By a: b (b − 1) a^(b − 2), 0 where b is 0 or 1. Mixed: a^(b − 1) (1 + b ln a). By b: a^b ln² a. The last two
      // are 0 where a is 0.
      const Val zero = f.number(a, 0), log = f.function(UnaryFn::log, a);
      const auto power = [&](double less) { return f.binary(BinaryFn::pow, a, f.linear(b, 1, -less)); };
      const auto unless_zero = [&](Val x) { return f.choose(f.compare(CompareFn::equal, a, zero), zero, x); };
      const Val mixed = unless_zero(f.product(h, f.product(power(1), f.linear(f.product(b, log), 1, 1))));
      if (attr.wrt == 1) return {mixed, unless_zero(f.product(h, f.product(power(0), f.product(log, log))))};
      const Val factor = f.product(b, f.linear(b, 1, -1));
      return {f.choose(f.compare(CompareFn::equal, factor, zero), zero, f.product(h, f.product(factor, power(2)))),
              mixed};
    }
  }
  return {};
}

}  // namespace

void relu_grad(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::relu_grad, {c.g, c.in(1)})[0]);
}

void clamp_grad(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::clamp_grad, {c.g, c.in(1)}, c.i.attr)[0]);
}

void sigmoid_grad(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::sigmoid_grad, {c.g, c.in(1)})[0]);
  if (!c.wants(1)) return;
  Formula f(c);
  c.give(1, f.product(f.product(f.wide(c.g), f.wide(c.in(0))), f.linear(f.wide(c.in(1)), -2, 1)));
}

void unary_grad(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::unary_grad, {c.g, c.in(1)}, c.i.attr)[0]);
  if (!c.wants(1)) return;
  Formula f(c);
  const Val bent = curvature(f, c.attr<UnaryAttr>(), f.product(f.wide(c.g), f.wide(c.in(0))), f.wide(c.in(1)));
  if (bent) c.give(1, bent);
}

void binary_grad(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::binary_grad, {c.g, c.in(1), c.in(2)}, c.i.attr)[0]);
  if (!c.wants(1) && !c.wants(2)) return;
  Formula f(c);
  const Pair bent =
      curvatures(f, c.attr<BinaryAttr>(), f.product(f.wide(c.g), f.wide(c.in(0))), f.wide(c.in(1)), f.wide(c.in(2)));
  if (c.wants(1) && bent.a) c.give(1, bent.a);
  if (c.wants(2) && bent.b) c.give(2, bent.b);
}

// out = y · (g − Σ g·y), of a logarithm out = g − exp(y) · Σ g.
void softmax_grad(AdjointContext& c) {
  const SoftmaxAttr& attr = c.attr<SoftmaxAttr>();
  if (!c.b.status()) return;
  Formula f(c);
  const Val up = f.wide(c.g), g = f.wide(c.in(0)), y = f.wide(c.in(1));
  const auto sum = [&](Val x) { return c.b.sum(x, {attr.axis}, true); };
  if (!attr.log) {
    if (c.wants(0)) c.give(0, c.b.emit(Op::softmax_grad, {c.g, c.in(1)}, attr)[0]);
    if (c.wants(1))
      c.give(1, f.minus(f.product(up, f.minus(g, sum(f.product(g, y)))), f.product(g, sum(f.product(up, y)))));
    return;
  }
  const Val p = f.function(UnaryFn::exp, y);
  if (c.wants(0)) c.give(0, f.minus(up, sum(f.product(up, p))));
  if (c.wants(1)) c.give(1, f.linear(f.product(f.product(up, p), sum(g)), -1, 0));
}

void gather_elements_grad(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.gather_elements(c.g, c.in(1), c.attr<AxisAttr>().axis));
}

void gather_grad(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.gather(c.g, c.in(1)));
}

void avg_pool_grad(AdjointContext& c) {
  PoolAttr attr = c.attr<PoolAttr>();
  attr.dims = {};
  if (c.wants(0)) c.give(0, c.b.emit(Op::avg_pool, {c.g}, attr)[0]);
}

void resize_grad(AdjointContext& c) {
  ResizeAttr attr = c.attr<ResizeAttr>();
  attr.dims = {};
  if (c.wants(0)) c.give(0, c.b.emit(Op::resize, {c.g}, attr)[0]);
}

}  // namespace hw::adjoint_rules
