// Scalar bodies of the elementwise ops for T = float or double. No contraction: the bits are the same on every device
// and instruction set (f64 sigmoid: as good as the platform's exp).
#pragma once

#include <cmath>
#include <cstdint>

#include "engine/kernels/math.h"

namespace hw::kernels {

/// NaN stays NaN.
template <class T>
HW_BODY T clamp(T x, T lo, T hi) {
  const T up = x < lo ? lo : x;
  return up > hi ? hi : up;
}

template <class T>
HW_BODY T clamp_grad(T g, T x, T lo, T hi) {
  return (x >= lo) & (x <= hi) ? g : T(0);
}

/// NaN stays NaN.
template <class T>
HW_BODY T relu(T x) {
  return x < T(0) ? T(0) : x;
}

template <class T>
HW_BODY T relu_grad(T g, T y) {
  return y > T(0) ? g : T(0);
}

template <class T>
HW_BODY T affine(T x, T scale, T offset) {
  return x * scale + offset;
}

/// exp(x) for x ≤ 0, within 2 ulp: of softmax and sigmoid. f32: the bits of math::exp from −87 on; below, 0 rather than
/// its subnormal numbers, so that one power of two is enough.
HW_BODY float exp_nonpositive(float x) {
  int32_t k;
  const float p = math::exp_parts(x, k);
  const float power = math::float_of((static_cast<uint32_t>(k) + 127u) << 23);  // 2^k
  const float value = p * power;
  return x < -87.0f ? 0.0f : value;
}

HW_BODY double exp_nonpositive(double x) {
  return std::exp(x);
}

template <class T>
HW_BODY T sigmoid(T x) {
  const T e = exp_nonpositive(x < T(0) ? x : -x);
  const T s = T(1) / (T(1) + e);
  return x < T(0) ? e * s : s;
}

template <class T>
HW_BODY T sigmoid_grad(T g, T y) {
  return g * (y * (T(1) - y));
}

}  // namespace hw::kernels
