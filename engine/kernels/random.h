// Scalar bodies of the op `random` for T = float or double, from Philox words; the formulas stand at RandomAttr
// (engine/program/program.h). No contraction: the bits are the same on every device and instruction set (f64 normal: as
// good as the platform's log, sin and cos).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/kernels/trigonometry.h"

namespace hw::kernels {

/// A word as a number in [0, 1): its top 24 bits.
template <class T>
HW_BODY T unit_of(uint32_t word) {
  return static_cast<T>(static_cast<int32_t>(word >> 8)) * T(0x1p-24);
}

/// ln x for normal x > 0, within 2 ulp. Polynomial as in Cephes' logf (S. Moshier).
HW_BODY float log_positive(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const uint32_t half = (bits & 0x007FFFFFu) | 0x3F000000u;
  float m;  // in [0.5, 1)
  std::memcpy(&m, &half, sizeof m);
  const bool low = m < 0.70710678f;
  const float e = static_cast<float>(static_cast<int32_t>(bits >> 23) - 126) - (low ? 1.0f : 0.0f);
  m = low ? m + m - 1.0f : m - 1.0f;
  const float z = m * m;
  float p = 7.0376836292e-2f;
  p = p * m + -1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m + -1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m + -1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m + -2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  const float y = p * m * z + e * -2.12194440e-4f - 0.5f * z;
  return m + y + e * 0.693359375f;
}

HW_BODY double log_positive(double x) {
  return std::log(x);
}

template <class T>
HW_BODY T uniform_between(uint32_t word, T a, T span) {
  return a + span * unit_of<T>(word);
}

/// Two numbers from the words of elements 2i and 2i + 1: mean 0, standard deviation 1.
template <class T>
HW_BODY void normal_pair(uint32_t first, uint32_t second, T& even, T& odd) {
  const T radius = std::sqrt(T(-2) * log_positive(unit_of<T>(first) + T(0x1p-24)));
  T sine, cosine;
  sin_cos_pi(T(2) * unit_of<T>(second), sine, cosine);
  even = radius * cosine;
  odd = radius * sine;
}

}  // namespace hw::kernels
