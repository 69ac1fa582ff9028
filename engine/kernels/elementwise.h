// Scalar bodies of the elementwise ops for T = float or double. No contraction: the bits are the same on every device
// and instruction set (f64 sigmoid: as good as the platform's exp).
#pragma once

#include <cmath>
#include <cstdint>

#include "engine/kernels/bits.h"

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

/// exp(x) for x ≤ 0, within 2 ulp; 0 below −87. Range reduction and polynomial as in Cephes' expf (S. Moshier).
HW_BODY float exp_nonpositive(float x) {
  const float shift = 12582912.0f;  // 1.5 · 2^23: adding it rounds to an integer in the low mantissa bits
  const float shifted = x * 1.44269504088896341f + shift;
  const float n = shifted - shift;
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const float power = math::float_of((math::bits_of(shifted) - 0x4B400000u + 127u) << 23);  // 2^n
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
