// ref: the function tables by their formulas in f64, comparisons, the largest and smallest, softmax, indices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/backend/ref/ref_ops.h"
#include "engine/program/op_table.h"

namespace hw::ref {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}
double normal_cdf(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}
double normal_density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}
double softplus(double x) {
  return x > 30 ? x : std::log1p(std::exp(x));
}
double flat(double, double, double) {
  return 0;
}
double gelu_tanh_inner(double x) {
  return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * std::pow(x, 3));
}

struct UnaryRow {
  UnaryFn fn;
  double (*f)(double x, double a, double b);
  double (*slope)(double x, double a, double b);
};
using D = double;
constexpr UnaryRow kUnary[] = {
    {UnaryFn::leaky_relu, [](D x, D a, D) { return x <= 0 ? a * x : x; }, [](D x, D a, D) { return x > 0 ? 1 : a; }},
    {UnaryFn::elu, [](D x, D a, D) { return x > 0 ? x : a * std::expm1(x); },
     [](D x, D a, D) { return x > 0 ? 1 : a * std::exp(x); }},
    {UnaryFn::tanh, [](D x, D, D) { return std::tanh(x); }, [](D x, D, D) { return 1 / std::pow(std::cosh(x), 2); }},
    {UnaryFn::gelu, [](D x, D, D) { return x * normal_cdf(x); },
     [](D x, D, D) { return normal_cdf(x) + x * normal_density(x); }},
    {UnaryFn::gelu_tanh, [](D x, D, D) { return x / 2 * (1 + std::tanh(gelu_tanh_inner(x))); },
     [](D x, D, D) {
       const D t = std::tanh(gelu_tanh_inner(x));
       return (1 + t) / 2 + x / 2 * (1 - t * t) * std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
     }},
    {UnaryFn::silu, [](D x, D, D) { return x * logistic(x); },
     [](D x, D, D) { return logistic(x) + x * logistic(x) * logistic(-x); }},
    {UnaryFn::softplus, [](D x, D a, D) { return a * x > 30 ? x : std::log1p(std::exp(a * x)) / a; },
     [](D x, D a, D) { return logistic(a * x); }},
    {UnaryFn::exp, [](D x, D, D) { return std::exp(x); }, [](D x, D, D) { return std::exp(x); }},
    {UnaryFn::log, [](D x, D, D) { return std::log(x); }, [](D x, D, D) { return 1 / x; }},
    {UnaryFn::sqrt, [](D x, D, D) { return std::sqrt(x); }, [](D x, D, D) { return 1 / (2 * std::sqrt(x)); }},
    {UnaryFn::abs, [](D x, D, D) { return std::fabs(x); },
     [](D x, D, D) { return std::isnan(x) ? x : static_cast<D>((x > 0) - (x < 0)); }},
    {UnaryFn::sin, [](D x, D, D) { return std::sin(x); }, [](D x, D, D) { return std::cos(x); }},
    {UnaryFn::cos, [](D x, D, D) { return std::cos(x); }, [](D x, D, D) { return -std::sin(x); }},
    {UnaryFn::neg, [](D x, D, D) { return -x; }, [](D, D, D) { return -1.0; }},
    {UnaryFn::reciprocal, [](D x, D, D) { return 1 / x; }, [](D x, D, D) { return -1 / (x * x); }},
    {UnaryFn::huber, [](D x, D a, D) { return std::fabs(x) <= a ? x * x / 2 : a * (std::fabs(x) - a / 2); },
     [](D x, D a, D) { return x > a    ? a
                              : x < -a ? -a
                                       : x; }},
    {UnaryFn::hard_sigmoid, [](D x, D a, D b) { return std::isnan(x) ? x : std::min(std::max(a * x + b, 0.0), 1.0); },
     [](D x, D a, D b) { return a * x + b > 0 && a * x + b < 1 ? a : 0; }},
    {UnaryFn::hard_swish, [](D x, D, D) { return std::isnan(x) ? x : x * std::min(std::max(x + 3, 0.0), 6.0) / 6; },
     [](D x, D, D) { return x <= -3  ? 0
                            : x >= 3 ? 1
                                     : (2 * x + 3) / 6; }},
    {UnaryFn::mish, [](D x, D, D) { return x * std::tanh(softplus(x)); },
     [](D x, D, D) { return std::tanh(softplus(x)) + x * logistic(x) / std::pow(std::cosh(softplus(x)), 2); }},
    {UnaryFn::selu, [](D x, D a, D b) { return x > 0 ? b * x : b * a * std::expm1(x); },
     [](D x, D a, D b) { return x > 0 ? b : b * a * std::exp(x); }},
    {UnaryFn::celu, [](D x, D a, D) { return x > 0 ? x : a * std::expm1(x / a); },
     [](D x, D a, D) { return x > 0 ? 1 : std::exp(x / a); }},
    {UnaryFn::softsign, [](D x, D, D) { return x / (1 + std::fabs(x)); },
     [](D x, D, D) { return 1 / std::pow(1 + std::fabs(x), 2); }},
    {UnaryFn::shrink, [](D x, D a, D b) { return x > a    ? x - b
                                                 : x < -a ? x + b
                                                          : (std::isnan(x) ? x : 0); },
     [](D x, D a, D) -> D { return std::fabs(x) <= a ? 0 : 1; }},
    {UnaryFn::threshold, [](D x, D a, D b) { return x <= a ? b : x; }, [](D x, D a, D) -> D { return x <= a ? 0 : 1; }},
    {UnaryFn::erf, [](D x, D, D) { return std::erf(x); },
     [](D x, D, D) { return 2 / std::sqrt(std::numbers::pi) * std::exp(-x * x); }},
    {UnaryFn::floor, [](D x, D, D) { return std::floor(x); }, flat},
    {UnaryFn::ceil, [](D x, D, D) { return std::ceil(x); }, flat},
    {UnaryFn::round, [](D x, D, D) { return std::nearbyint(x); }, flat},
    {UnaryFn::sign, [](D x, D, D) { return std::isnan(x) ? x : static_cast<D>((x > 0) - (x < 0)); }, flat},
    {UnaryFn::tan, [](D x, D, D) { return std::tan(x); }, [](D x, D, D) { return 1 / std::pow(std::cos(x), 2); }},
    {UnaryFn::asin, [](D x, D, D) { return std::asin(x); }, [](D x, D, D) { return 1 / std::sqrt(1 - x * x); }},
    {UnaryFn::acos, [](D x, D, D) { return std::acos(x); }, [](D x, D, D) { return -1 / std::sqrt(1 - x * x); }},
    {UnaryFn::atan, [](D x, D, D) { return std::atan(x); }, [](D x, D, D) { return 1 / (1 + x * x); }},
    {UnaryFn::sinh, [](D x, D, D) { return std::sinh(x); }, [](D x, D, D) { return std::cosh(x); }},
    {UnaryFn::cosh, [](D x, D, D) { return std::cosh(x); }, [](D x, D, D) { return std::sinh(x); }},
    {UnaryFn::asinh, [](D x, D, D) { return std::asinh(x); }, [](D x, D, D) { return 1 / std::sqrt(x * x + 1); }},
    {UnaryFn::acosh, [](D x, D, D) { return std::acosh(x); },
     [](D x, D, D) { return x < 1 ? kNaN : 1 / std::sqrt(x * x - 1); }},
    {UnaryFn::atanh, [](D x, D, D) { return std::atanh(x); }, [](D x, D, D) { return 1 / (1 - x * x); }},
};

constexpr auto kUnaryTable = complete_functions<kUnary, kUnaryFns>();
const UnaryRow& row(UnaryFn fn) {
  return kUnaryTable[static_cast<size_t>(fn)];
}

// A side on which the function is flat gives the gradient 0, not g · 0.
bool chooses(UnaryFn fn) {
  return fn >= UnaryFn::hard_sigmoid && fn <= UnaryFn::sign && fn != UnaryFn::erf;
}

double power(double a, double b) {
  return std::pow(a, b);
}
double tie(double mine, double other) {  // the share of the winner's gradient
  return mine > other ? 1 : mine == other ? 0.5 : 0;
}

struct BinaryRow {
  BinaryFn fn;
  double (*f)(double a, double b);
  double (*by_a)(double a, double b);
  double (*by_b)(double a, double b);
};
constexpr BinaryRow kBinary[] = {
    {BinaryFn::div, [](D a, D b) { return a / b; }, [](D, D b) { return 1 / b; },
     [](D a, D b) { return -a / (b * b); }},
    {BinaryFn::pow, power, [](D a, D b) { return b == 0 ? 0 : b * power(a, b - 1); },
     [](D a, D b) { return a == 0 && b >= 0 ? 0 : power(a, b) * std::log(a); }},
    {BinaryFn::atan2, [](D a, D b) { return std::atan2(a, b); }, [](D a, D b) { return b / (a * a + b * b); },
     [](D a, D b) { return -a / (a * a + b * b); }},
    {BinaryFn::min, [](D a, D b) { return std::isnan(a) || std::isnan(b) ? kNaN
                                          : a < b                        ? a
                                                                         : b; },
     [](D a, D b) { return tie(-a, -b); }, [](D a, D b) { return tie(-b, -a); }},
    {BinaryFn::max, [](D a, D b) { return std::isnan(a) || std::isnan(b) ? kNaN
                                          : a > b                        ? a
                                                                         : b; },
     [](D a, D b) { return tie(a, b); }, [](D a, D b) { return tie(b, a); }},
};

constexpr auto kBinaryTable = complete_functions<kBinary, kBinaryFns>();
const BinaryRow& row(BinaryFn fn) {
  return kBinaryTable[static_cast<size_t>(fn)];
}

bool holds(CompareFn fn, double a, double b) {
  switch (fn) {
    case CompareFn::equal:
      return a == b;
    case CompareFn::not_equal:
      return a != b;
    case CompareFn::less:
      return a < b;
    case CompareFn::less_equal:
      return a <= b;
    case CompareFn::greater:
      return a > b;
    case CompareFn::greater_equal:
      return a >= b;
  }
  return false;
}

// Element `i` of `to`, of a tensor that stretches to it.
double at(const Wide& x, size_t i, const Dims& to) {
  return x[broadcast_index(i, to, x.dims)];
}

// Calls f(base, stride, length) for every run of elements along an axis; element k is at base + k · stride.
template <class F>
void each_run(const Dims& dims, int axis, F f) {
  const auto at_axis = dims.begin() + axis;
  const auto outer = static_cast<size_t>(element_count({dims.begin(), at_axis}));
  const auto inner = static_cast<size_t>(element_count({at_axis + 1, dims.end()}));
  const auto length = static_cast<size_t>(*at_axis);
  for (size_t o = 0; o < outer; ++o)
    for (size_t i = 0; i < inner; ++i) f(o * length * inner + i, inner, length);
}

// The index as a place on an axis of `length`, or `length` when it lies outside.
size_t place(double index, size_t length) {
  return index >= 0 && index < static_cast<double>(length) ? static_cast<size_t>(index) : length;
}

}  // namespace

void unary(Call& c) {
  const UnaryAttr& a = c.attr<UnaryAttr>();
  for (size_t i = 0; i < c.out[0].size(); ++i) c.out[0][i] = row(a.fn).f(c.in[0][i], a.a, a.b);
}

void unary_grad(Call& c) {
  const UnaryAttr& a = c.attr<UnaryAttr>();
  for (size_t i = 0; i < c.out[0].size(); ++i) {
    const double slope = row(a.fn).slope(c.in[1][i], a.a, a.b);
    c.out[0][i] = chooses(a.fn) && slope == 0 ? 0 : c.in[0][i] * slope;
  }
}

void binary(Call& c) {
  const BinaryRow& r = row(c.attr<BinaryAttr>().fn);
  Wide& out = c.out[0];
  for (size_t i = 0; i < out.size(); ++i) out[i] = r.f(at(c.in[0], i, out.dims), at(c.in[1], i, out.dims));
}

void binary_grad(Call& c) {
  const BinaryAttr& attr = c.attr<BinaryAttr>();
  const auto slope = attr.wrt == 0 ? row(attr.fn).by_a : row(attr.fn).by_b;
  const bool chooses = attr.fn == BinaryFn::min || attr.fn == BinaryFn::max;  // what is not chosen gets 0, not g · 0
  Wide& out = c.out[0];
  for (size_t i = 0; i < out.size(); ++i) {
    const double by = slope(at(c.in[1], i, out.dims), at(c.in[2], i, out.dims));
    out[i] = chooses && by == 0 ? 0 : c.in[0][i] * by;
  }
}

void compare(Call& c) {
  Wide& out = c.out[0];
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = holds(c.attr<CompareAttr>().fn, at(c.in[0], i, out.dims), at(c.in[1], i, out.dims));
}

void where(Call& c) {
  Wide& out = c.out[0];
  for (size_t i = 0; i < out.size(); ++i) out[i] = at(c.in[at(c.in[0], i, out.dims) != 0 ? 1 : 2], i, out.dims);
}

void reduce(Call& c) {
  const double sign = c.attr<ReduceAttr>().fn == ReduceFn::max ? 1 : -1;
  Wide &x = c.in[0], &out = c.out[0];
  out.v.assign(out.size(), -sign * kInf);
  for (size_t i = 0; i < x.size(); ++i) {
    double& most = out[broadcast_index(i, x.dims, out.dims)];
    if (std::isnan(x[i]) || sign * x[i] > sign * most) most = x[i];
  }
}

void softmax(Call& c) {
  const SoftmaxAttr& attr = c.attr<SoftmaxAttr>();
  const Wide& x = c.in[0];
  each_run(x.dims, attr.axis, [&](size_t base, size_t stride, size_t length) {
    double most = -kInf, sum = 0;
    for (size_t k = 0; k < length; ++k) most = std::fmax(most, x[base + k * stride]);
    for (size_t k = 0; k < length; ++k) sum += std::exp(x[base + k * stride] - most);
    for (size_t k = 0; k < length; ++k) {
      const double shifted = x[base + k * stride] - most;
      c.out[0][base + k * stride] = attr.log ? shifted - std::log(sum) : std::exp(shifted) / sum;
    }
  });
}

void softmax_grad(Call& c) {
  const SoftmaxAttr& attr = c.attr<SoftmaxAttr>();
  const Wide &g = c.in[0], &y = c.in[1];
  each_run(y.dims, attr.axis, [&](size_t base, size_t stride, size_t length) {
    double sum = 0;
    for (size_t e = base; e < base + length * stride; e += stride) sum += attr.log ? g[e] : g[e] * y[e];
    for (size_t e = base; e < base + length * stride; e += stride)
      c.out[0][e] = attr.log ? g[e] - std::exp(y[e]) * sum : y[e] * (g[e] - sum);
  });
}

void argmax(Call& c) {
  const Wide& x = c.in[0];
  size_t to = 0;
  each_run(x.dims, c.attr<AxisAttr>().axis, [&](size_t base, size_t stride, size_t length) {
    size_t best = 0;
    for (size_t k = 1; k < length; ++k) {
      const double now = x[base + best * stride], next = x[base + k * stride];
      if (!std::isnan(now) && (std::isnan(next) || next > now)) best = k;
    }
    c.out[0][to++] = static_cast<double>(best);
  });
}

void gather_elements(Call& c) {
  size_t to = 0;
  each_run(c.in[0].dims, c.attr<AxisAttr>().axis, [&](size_t base, size_t stride, size_t length) {
    const size_t k = place(c.in[1][to], length);
    c.out[0][to++] = k < length ? c.in[0][base + k * stride] : kNaN;
  });
}

void gather_elements_grad(Call& c) {
  size_t from = 0;
  each_run(c.out[0].dims, c.attr<AxisAttr>().axis, [&](size_t base, size_t stride, size_t length) {
    const size_t k = place(c.in[1][from], length);
    if (k < length) c.out[0][base + k * stride] = c.in[0][from];
    ++from;
  });
}

void gather(Call& c) {
  const double entries = static_cast<double>(c.in[0].dims[0]);
  const size_t width = c.in[1].size() ? c.out[0].size() / c.in[1].size() : 0;
  for (size_t i = 0; i < c.in[1].size(); ++i) {
    const double row = c.in[1][i];
    const bool inside = row >= 0 && row < entries;
    for (size_t k = 0; k < width; ++k)
      c.out[0][i * width + k] =
          inside ? c.in[0][static_cast<size_t>(row) * width + k] : std::numeric_limits<double>::quiet_NaN();
  }
}

void gather_grad(Call& c) {
  const double entries = static_cast<double>(c.out[0].dims[0]);
  const size_t width = c.in[1].size() ? c.in[0].size() / c.in[1].size() : 0;
  for (size_t i = 0; i < c.in[1].size(); ++i) {
    const double row = c.in[1][i];
    if (row < 0 || row >= entries) continue;
    for (size_t k = 0; k < width; ++k) c.out[0][static_cast<size_t>(row) * width + k] += c.in[0][i * width + k];
  }
}

}  // namespace hw::ref
