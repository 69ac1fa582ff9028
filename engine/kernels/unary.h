// Scalar bodies of unary.def for T = float or double: f(x, a, b), and the gradient g · f'(x) as f(g, x, a, b).
// At a kink the gradient is PyTorch's: leaky_relu and elu take the left side at 0, abs gives 0.
#pragma once

#include "engine/kernels/elementwise.h"
#include "engine/kernels/math.h"

namespace hw::kernels {

namespace unary {

template <class T>
HW_BODY T leaky_relu(T x, T a, T) {
  return x > T(0) ? x : a * x;
}
template <class T>
HW_BODY T elu(T x, T a, T) {
  const T low = a * math::expm1_nonpositive(x > T(0) ? T(0) : x);
  return x > T(0) ? x : low;
}
template <class T>
HW_BODY T tanh(T x, T, T) {
  return math::tanh(x);
}
template <class T>
HW_BODY T gelu(T x, T, T) {
  return x * math::normal_cdf(x);
}
/// The argument of the sigmoid that gelu_tanh is x times: 2 √(2/π) (x + 0.044715 x³).
template <class T>
HW_BODY T gelu_tanh_argument(T x) {
  return T(1.59576912160573071176) * (x + T(0.044715) * x * x * x);
}
template <class T>
HW_BODY T gelu_tanh(T x, T, T) {
  return x * sigmoid(gelu_tanh_argument(x));
}
template <class T>
HW_BODY T silu(T x, T, T) {
  return x * sigmoid(x);
}
template <class T>
HW_BODY T softplus(T x, T a, T) {
  const T z = a * x;
  const T tail = math::log1p_nonnegative(math::exp(z > T(0) ? -z : z));
  return ((z > T(0) ? z : T(0)) + tail) / a;
}
template <class T>
HW_BODY T exp(T x, T, T) {
  return math::exp(x);
}
template <class T>
HW_BODY T log(T x, T, T) {
  return math::log(x);
}
template <class T>
HW_BODY T sqrt(T x, T, T) {
  return math::sqrt(x);
}
template <class T>
HW_BODY T abs(T x, T, T) {
  return math::abs(x);
}
template <class T>
HW_BODY T sin(T x, T, T) {
  return math::sin(x);
}
template <class T>
HW_BODY T cos(T x, T, T) {
  return math::cos(x);
}
template <class T>
HW_BODY T neg(T x, T, T) {
  return -x;
}
template <class T>
HW_BODY T reciprocal(T x, T, T) {
  return T(1) / x;
}
template <class T>
HW_BODY T huber(T x, T a, T) {
  const T m = math::abs(x);
  const T near = T(0.5) * x * x, far = a * (m - T(0.5) * a);
  return m > a ? far : near;
}

}  // namespace unary

namespace unary_grad {

template <class T>
HW_BODY T leaky_relu(T g, T x, T a, T) {
  return x > T(0) ? g : a * g;
}
template <class T>
HW_BODY T elu(T g, T x, T a, T) {
  const T low = g * a * math::exp(x > T(0) ? T(0) : x);
  return x > T(0) ? g : low;
}
template <class T>
HW_BODY T tanh(T g, T x, T, T) {
  const T y = math::tanh(x);
  return g * (T(1) - y * y);
}
template <class T>
HW_BODY T gelu(T g, T x, T, T) {
  const T density = T(0.39894228040143267794) * math::exp(T(-0.5) * x * x);
  return g * (math::normal_cdf(x) + x * density);
}
template <class T>
HW_BODY T gelu_tanh(T g, T x, T, T) {
  const T s = sigmoid(unary::gelu_tanh_argument(x));
  const T slope = T(1.59576912160573071176) * (T(1) + T(0.134145) * x * x);
  return g * (s + x * s * (T(1) - s) * slope);
}
template <class T>
HW_BODY T silu(T g, T x, T, T) {
  const T s = sigmoid(x);
  return g * (s * (T(1) + x * (T(1) - s)));
}
template <class T>
HW_BODY T softplus(T g, T x, T a, T) {
  return g * sigmoid(a * x);
}
template <class T>
HW_BODY T exp(T g, T x, T, T) {
  return g * math::exp(x);
}
template <class T>
HW_BODY T log(T g, T x, T, T) {
  return g / x;
}
template <class T>
HW_BODY T sqrt(T g, T x, T, T) {
  return g * (T(0.5) / math::sqrt(x));
}
template <class T>
HW_BODY T abs(T g, T x, T, T) {
  const T zero = x == T(0) ? T(0) : x * g;  // NaN stays NaN
  const T low = x < T(0) ? -g : zero;
  return x > T(0) ? g : low;
}
template <class T>
HW_BODY T sin(T g, T x, T, T) {
  return g * math::cos(x);
}
template <class T>
HW_BODY T cos(T g, T x, T, T) {
  return -(g * math::sin(x));
}
template <class T>
HW_BODY T neg(T g, T, T, T) {
  return -g;
}
template <class T>
HW_BODY T reciprocal(T g, T x, T, T) {
  return -(g / (x * x));
}
template <class T>
HW_BODY T huber(T g, T x, T a, T) {
  return g * clamp(x, -a, a);
}

}  // namespace unary_grad

}  // namespace hw::kernels
