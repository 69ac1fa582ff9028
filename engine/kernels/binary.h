// Scalar bodies of binary.def for T = float or double. Gradients by a and by b, from (g, a, b); where min or max tie,
// each side gets half, as in PyTorch.
#pragma once

#include "engine/kernels/math.h"

namespace hw::kernels {

namespace binary {

template <class T>
HW_BODY T div(T a, T b) {
  return a / b;
}
template <class T>
HW_BODY T pow(T a, T b) {
  return math::pow(a, b);
}
template <class T>
HW_BODY T atan2(T a, T b) {
  return math::atan2(a, b);
}
template <class T>
HW_BODY T min(T a, T b) {
  const T least = a <= b ? a : b;  // b also when a is NaN
  return a == a ? least : a;
}
template <class T>
HW_BODY T max(T a, T b) {
  const T most = a >= b ? a : b;
  return a == a ? most : a;
}

}  // namespace binary

namespace binary_grad_a {

template <class T>
HW_BODY T div(T g, T, T b) {
  return g / b;
}
/// 0 where b is 0, whatever a is.
template <class T>
HW_BODY T pow(T g, T a, T b) {
  return b == T(0) ? T(0) : g * (b * math::pow(a, b - T(1)));
}
template <class T>
HW_BODY T atan2(T g, T a, T b) {
  return g * (b / (a * a + b * b));
}
template <class T>
HW_BODY T min(T g, T a, T b) {
  const T tie = a == b ? T(0.5) * g : T(0);
  return a < b ? g : tie;
}
template <class T>
HW_BODY T max(T g, T a, T b) {
  return min(g, b, a);
}

}  // namespace binary_grad_a

namespace binary_grad_b {

template <class T>
HW_BODY T div(T g, T a, T b) {
  return -(g * ((a / b) / b));
}
/// 0 where a is 0 and b is not negative.
template <class T>
HW_BODY T pow(T g, T a, T b) {
  return (a == T(0)) & (b >= T(0)) ? T(0) : g * (math::pow(a, b) * math::log(a));
}
template <class T>
HW_BODY T atan2(T g, T a, T b) {
  return -(g * (a / (a * a + b * b)));
}
template <class T>
HW_BODY T min(T g, T a, T b) {
  return binary_grad_a::min(g, b, a);
}
template <class T>
HW_BODY T max(T g, T a, T b) {
  return binary_grad_a::min(g, a, b);
}

}  // namespace binary_grad_b

}  // namespace hw::kernels
