// Scalar bodies of unary.def for T = float or double: f(x, a, b), and the gradient g · f'(x) as f(g, x, a, b); the
// parameters a and b are always double, as given.
// At a kink the gradient is PyTorch's: leaky_relu and elu take the left side at 0, abs gives 0;
// hard_sigmoid, hard_swish, shrink and threshold take the flat side.
#pragma once

#include "engine/kernels/elementwise.h"
#include "engine/kernels/math.h"

namespace hw::kernels {

namespace unary {

template <class T>
HW_BODY T leaky_relu(T x, double a, double) {
  return x > T(0) ? x : T(a) * x;
}
template <class T>
HW_BODY T elu(T x, double a, double) {
  const T low = T(a) * math::expm1_nonpositive(x > T(0) ? T(0) : x);
  return x > T(0) ? x : low;
}
template <class T>
HW_BODY T tanh(T x, double, double) {
  return math::tanh(x);
}
template <class T>
HW_BODY T gelu(T x, double, double) {
  return x * math::normal_cdf(x);
}
/// The argument of the sigmoid that gelu_tanh is x times: 2 √(2/π) (x + 0.044715 x³).
template <class T>
HW_BODY T gelu_tanh_argument(T x) {
  return T(1.59576912160573071176) * (x + T(0.044715) * x * x * x);
}
template <class T>
HW_BODY T gelu_tanh(T x, double, double) {
  return x * sigmoid(gelu_tanh_argument(x));
}
template <class T>
HW_BODY T silu(T x, double, double) {
  return x * sigmoid(x);
}
template <class T>
HW_BODY T softplus(T x, double a, double) {
  const T z = T(a) * x;
  const T tail = math::log1p_nonnegative(math::exp(z > T(0) ? -z : z));
  return ((z > T(0) ? z : T(0)) + tail) / T(a);
}
template <class T>
HW_BODY T exp(T x, double, double) {
  return math::exp(x);
}
template <class T>
HW_BODY T log(T x, double, double) {
  return math::log(x);
}
template <class T>
HW_BODY T sqrt(T x, double, double) {
  return math::sqrt(x);
}
template <class T>
HW_BODY T abs(T x, double, double) {
  return math::abs(x);
}
template <class T>
HW_BODY T sin(T x, double, double) {
  return math::sin(x);
}
template <class T>
HW_BODY T cos(T x, double, double) {
  return math::cos(x);
}
template <class T>
HW_BODY T neg(T x, double, double) {
  return -x;
}
template <class T>
HW_BODY T reciprocal(T x, double, double) {
  return T(1) / x;
}
template <class T>
HW_BODY T huber(T x, double a, double) {
  const T m = math::abs(x);
  const T near = T(0.5) * x * x, far = T(a) * (m - T(0.5) * T(a));
  return m > T(a) ? far : near;
}

/// In f64, rounded once: where a · x + b is near 0, f32 would leave few digits of it, and a = 1/6 has none to spare.
template <class T>
HW_BODY T hard_sigmoid(T x, double a, double b) {
  return static_cast<T>(clamp(a * static_cast<double>(x) + b, 0.0, 1.0));
}
template <class T>
HW_BODY T hard_swish(T x, double, double) {
  return x * hard_sigmoid(x, 1.0 / 6, 0.5);
}
template <class T>
HW_BODY T mish(T x, double, double) {
  return x * math::tanh(softplus(x, 1, 1));
}
template <class T>
HW_BODY T selu(T x, double a, double b) {
  return T(b) * elu(x, a, b);
}
template <class T>
HW_BODY T celu(T x, double a, double) {
  const T low = T(a) * math::expm1_nonpositive(x > T(0) ? T(0) : x / T(a));
  return x > T(0) ? x : low;
}
template <class T>
HW_BODY T softsign(T x, double, double) {
  return x / (T(1) + math::abs(x));
}
template <class T>
HW_BODY T shrink(T x, double a, double b) {
  const T zero = x == x ? T(0) : x;  // NaN stays NaN
  const T low = x < T(-a) ? x + T(b) : zero;
  return x > T(a) ? x - T(b) : low;
}
template <class T>
HW_BODY T threshold(T x, double a, double b) {
  return x <= T(a) ? T(b) : x;
}
template <class T>
HW_BODY T erf(T x, double, double) {
  return math::erf(x);
}
template <class T>
HW_BODY T floor(T x, double, double) {
  return math::floor(x);
}
template <class T>
HW_BODY T ceil(T x, double, double) {
  return -math::floor(-x);
}
template <class T>
HW_BODY T round(T x, double, double) {
  return math::round(x);
}
template <class T>
HW_BODY T sign(T x, double, double) {
  const T zero = x == x ? T(0) : x;  // NaN stays, −0 becomes 0
  const T low = x < T(0) ? T(-1) : zero;
  return x > T(0) ? T(1) : low;
}
template <class T>
HW_BODY T tan(T x, double, double) {
  return math::tan(x);
}
template <class T>
HW_BODY T asin(T x, double, double) {
  return math::atan2(x, math::sqrt((T(1) - x) * (T(1) + x)));
}
template <class T>
HW_BODY T acos(T x, double, double) {
  return math::atan2(math::sqrt((T(1) - x) * (T(1) + x)), x);
}
template <class T>
HW_BODY T atan(T x, double, double) {
  return math::atan2(x, T(1));
}
template <class T>
HW_BODY T sinh(T x, double, double) {
  return math::sinh(x);
}
template <class T>
HW_BODY T cosh(T x, double, double) {
  return math::cosh(x);
}
template <class T>
HW_BODY T asinh(T x, double, double) {
  return math::asinh(x);
}
template <class T>
HW_BODY T acosh(T x, double, double) {
  return math::acosh(x);
}
template <class T>
HW_BODY T atanh(T x, double, double) {
  return math::atanh(x);
}

}  // namespace unary

namespace unary_grad {

template <class T>
HW_BODY T leaky_relu(T g, T x, double a, double) {
  return x > T(0) ? g : T(a) * g;
}
template <class T>
HW_BODY T elu(T g, T x, double a, double) {
  const T low = g * T(a) * math::exp(x > T(0) ? T(0) : x);
  return x > T(0) ? g : low;
}
template <class T>
HW_BODY T tanh(T g, T x, double, double) {
  const T y = math::tanh(x);
  return g * (T(1) - y * y);
}
template <class T>
HW_BODY T gelu(T g, T x, double, double) {
  const T density = T(0.39894228040143267794) * math::exp(T(-0.5) * x * x);
  return g * (math::normal_cdf(x) + x * density);
}
template <class T>
HW_BODY T gelu_tanh(T g, T x, double, double) {
  const T s = sigmoid(unary::gelu_tanh_argument(x));
  const T slope = T(1.59576912160573071176) * (T(1) + T(0.134145) * x * x);
  return g * (s + x * s * (T(1) - s) * slope);
}
template <class T>
HW_BODY T silu(T g, T x, double, double) {
  const T s = sigmoid(x);
  return g * (s * (T(1) + x * (T(1) - s)));
}
template <class T>
HW_BODY T softplus(T g, T x, double a, double) {
  return g * sigmoid(T(a) * x);
}
template <class T>
HW_BODY T exp(T g, T x, double, double) {
  return g * math::exp(x);
}
template <class T>
HW_BODY T log(T g, T x, double, double) {
  return g / x;
}
template <class T>
HW_BODY T sqrt(T g, T x, double, double) {
  return g * (T(0.5) / math::sqrt(x));
}
template <class T>
HW_BODY T abs(T g, T x, double, double) {
  const T zero = x == T(0) ? T(0) : x * g;  // NaN stays NaN
  const T low = x < T(0) ? -g : zero;
  return x > T(0) ? g : low;
}
template <class T>
HW_BODY T sin(T g, T x, double, double) {
  const T slope = math::cos(x);
  return slope == slope ? g * slope : slope;  // where g is NaN as well, always the same one of the two
}
template <class T>
HW_BODY T cos(T g, T x, double, double) {
  const T slope = math::sin(x);
  return slope == slope ? -(g * slope) : slope;
}
template <class T>
HW_BODY T neg(T g, T, double, double) {
  return -g;
}
template <class T>
HW_BODY T reciprocal(T g, T x, double, double) {
  return -(g / (x * x));
}
template <class T>
HW_BODY T huber(T g, T x, double a, double) {
  return g * clamp(x, T(-a), T(a));
}
template <class T>
HW_BODY T hard_sigmoid(T g, T x, double a, double b) {
  const double y = a * static_cast<double>(x) + b;
  return (y > 0) & (y < 1) ? T(a) * g : T(0);
}
template <class T>
HW_BODY T hard_swish(T g, T x, double, double) {
  const T inside = g * (x * T(1.0 / 3) + T(0.5));
  const T low = x <= T(-3) ? T(0) : inside;
  return x >= T(3) ? g : low;
}
template <class T>
HW_BODY T mish(T g, T x, double, double) {
  const T t = math::tanh(unary::softplus(x, 1, 1));
  return g * (t + x * sigmoid(x) * (T(1) - t * t));
}
template <class T>
HW_BODY T selu(T g, T x, double a, double b) {
  return elu(T(b) * g, x, a, b);
}
template <class T>
HW_BODY T celu(T g, T x, double a, double) {
  const T low = g * math::exp(x > T(0) ? T(0) : x / T(a));
  return x > T(0) ? g : low;
}
template <class T>
HW_BODY T softsign(T g, T x, double, double) {
  const T d = T(1) + math::abs(x);
  return g / (d * d);
}
template <class T>
HW_BODY T shrink(T g, T x, double a, double) {
  return (x >= T(-a)) & (x <= T(a)) ? T(0) : g;
}
template <class T>
HW_BODY T threshold(T g, T x, double a, double) {
  return x <= T(a) ? T(0) : g;
}
template <class T>
HW_BODY T erf(T g, T x, double, double) {
  return g * (T(1.12837916709551257390) * math::exp(-x * x));
}
template <class T>
HW_BODY T floor(T, T, double, double) {
  return T(0);
}
template <class T>
HW_BODY T ceil(T, T, double, double) {
  return T(0);
}
template <class T>
HW_BODY T round(T, T, double, double) {
  return T(0);
}
template <class T>
HW_BODY T sign(T, T, double, double) {
  return T(0);
}
template <class T>
HW_BODY T tan(T g, T x, double, double) {
  const T y = math::tan(x);
  return g * (T(1) + y * y);
}
template <class T>
HW_BODY T asin(T g, T x, double, double) {
  return g / math::sqrt((T(1) - x) * (T(1) + x));
}
template <class T>
HW_BODY T acos(T g, T x, double, double) {
  return -(g / math::sqrt((T(1) - x) * (T(1) + x)));
}
template <class T>
HW_BODY T atan(T g, T x, double, double) {
  return g / (T(1) + x * x);
}
template <class T>
HW_BODY T sinh(T g, T x, double, double) {
  return g * math::cosh(x);
}
template <class T>
HW_BODY T cosh(T g, T x, double, double) {
  return g * math::sinh(x);
}
template <class T>
HW_BODY T asinh(T g, T x, double, double) {
  return g / math::sqrt(T(1) + x * x);
}
template <class T>
HW_BODY T acosh(T g, T x, double, double) {
  return g / (math::sqrt(x - T(1)) * math::sqrt(x + T(1)));
}
template <class T>
HW_BODY T atanh(T g, T x, double, double) {
  return g / ((T(1) - x) * (T(1) + x));
}

}  // namespace unary_grad

}  // namespace hw::kernels
