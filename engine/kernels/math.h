// Elementary functions for T = float or double as scalar bodies. f32: within a few ulp, without branches or calls where
// not said otherwise, so that loops over them vectorise; the same bits everywhere. f64: the platform's.
// Range reductions and polynomials of exp, log and tanh as in Cephes (S. Moshier).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/kernels/angles_f64.h"
#include "engine/kernels/bits.h"
#include "engine/kernels/math_f64.h"

namespace hw::kernels::math {

/// 2^k for −127 < k < 128.
HW_BODY float power_of_two(int32_t k) {
  return float_of(static_cast<uint32_t>(k + 127) << 23);
}

/// |magnitude| with the sign of `sign`, which −0 has too.
HW_BODY float with_sign(float magnitude, float sign) {
  return float_of((bits_of(magnitude) & 0x7FFFFFFFu) | (bits_of(sign) & 0x80000000u));
}

template <class T>
HW_BODY T abs(T x) {
  const T size = x < T(0) ? -x : x;
  return x == T(0) ? T(0) : size;  // −0 becomes 0; x + 0 is x to some compilers of shaders
}

/// p and k of exp(x) = p · 2^k with p in about [0.7, 1.42], for |x| < 2^21: what every exp of f32 is made of.
HW_BODY float exp_parts(float x, int32_t& k) {
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
  k = static_cast<int32_t>(bits_of(shifted) - 0x4B400000u);
  return p * (r * r) + r + 1.0f;
}

/// For all x, subnormal results too; of x ≤ 0 where these may be 0, exp_nonpositive of elementwise.h does with less.
HW_BODY double exp(double x) {
  return ::exp(x);
}
HW_BODY float exp(float x) {
  const float low = x < -104.0f ? -104.0f : x;
  const float c = low > 89.0f ? 89.0f : low;
  int32_t k;
  const float p = exp_parts(c, k);
  const int32_t half = k >> 1;  // two factors: 2^k alone may overflow or be subnormal
  return p * power_of_two(half) * power_of_two(k - half);
}

HW_BODY double log(double x) {
  return ::log(x);
}
HW_BODY float log(float x) {
  const bool subnormal = x < 1.17549435e-38f;
  const float scaled = x * 8388608.0f;
  const uint32_t bits = bits_of(subnormal ? scaled : x);
  const float mantissa = float_of((bits & 0x007FFFFFu) | 0x3F000000u);  // [0.5, 1)
  const bool low = mantissa < 0.707106781186547524f;
  const float doubled = mantissa + mantissa;
  const float m = (low ? doubled : mantissa) - 1.0f;
  const auto exponent =
      static_cast<int32_t>((bits >> 23) & 255u) - 126 - static_cast<int32_t>(low) - (subnormal ? 23 : 0);
  const auto e = static_cast<float>(exponent);
  const float z = m * m;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  const float y = p * m * z + e * -2.12194440e-4f - 0.5f * z;
  const float value = m + y + e * 0.693359375f;
  const float infinity = std::numeric_limits<float>::infinity();
  const float positive = x < infinity ? value : x;  // +Inf, NaN
  const float edge = x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : positive;
  return x == 0.0f ? -infinity : edge;
}

HW_BODY double tanh(double x) {
  return ::tanh(x);
}
HW_BODY float tanh(float x) {
  const float a = x < 0.0f ? -x : x;
  const float far = 1.0f - 2.0f / (exp(a + a) + 1.0f);
  const float z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const float near = p * z * x + x;
  return with_sign(a >= 0.625f ? far : near, x);
}

/// exp(x) − 1 for x ≤ 0, without cancellation near 0.
HW_BODY double expm1_nonpositive(double x) {
  return ::expm1(x);
}
HW_BODY float expm1_nonpositive(float x) {
  const float t = tanh(0.5f * x);
  return 2.0f * t / (1.0f - t);
}

/// log(1 + x) for x ≥ 0, without cancellation near 0.
HW_BODY double log1p_nonnegative(double x) {
  return ::log1p(x);
}
HW_BODY float log1p_nonnegative(float x) {
  const float u = 1.0f + x, d = u - 1.0f;
  const float ratio = x / (d == 0.0f ? 1.0f : d);
  const float far = log(u) * ratio;
  return d == 0.0f ? x : far;
}

/// The normal distribution: (1 + erf(x / √2)) / 2.
HW_BODY double normal_cdf(double x) {
  return 0.5 * ::erfc(-x * 0.70710678118654752440);
}
/// erfc(z) · exp(z²) is a polynomial in t = 1 / (1 + z / 2), fitted for 0 ≤ z ≤ 10 to 5e-8 relative; beyond, exp(−z²)
/// is 0.
HW_BODY float normal_cdf(float x) {
  const float z = (x < 0.0f ? -x : x) * 0.70710678118654752440f;
  const float t = 1.0f / (1.0f + 0.5f * z);
  float p = -0.05906981965f;
  p = p * t + 0.2845790313f;
  p = p * t - 0.4872080286f;
  p = p * t + 0.2780760835f;
  p = p * t - 0.02663152105f;
  p = p * t + 0.2026892089f;
  p = p * t + 0.2431032097f;
  p = p * t + 0.2823753789f;
  p = p * t + 0.2820864142f;
  const float tail = 0.5f * (p * t) * exp(-z * z);
  return x < 0.0f ? tail : 1.0f - tail;
}

/// 2 / √π ∫ exp(−t²) dt from 0 to x.
HW_BODY double erf(double x) {
  return ::erf(x);
}
HW_BODY float erf(float x) {
  const float m = abs(x), z = x * x;
  float p = -7.5757576e-4f;  // the Taylor series
  p = p * z + 4.6296296e-3f;
  p = p * z - 2.3809524e-2f;
  p = p * z + 0.1f;
  p = p * z - 0.33333333f;
  const float near = 1.1283791671f * (p * z * x + x);
  const float far = 1.0f - 2.0f * normal_cdf(m * -1.4142135624f);
  return with_sign(m < 0.5f ? near : far, x);
}

/// Beyond this the f32 sine and cosine are those of f64: see sin.
inline constexpr float kFarAngle = 1e6f;

/// sin(x + quarter · π/2) for |x| ≤ kFarAngle: reduced in f64 (π/2 in two parts), Taylor polynomials to 3e-9.
HW_BODY float sin_near(float x, uint32_t quarter) {
  const double shift = 6755399441055744.0;  // 1.5 · 2^52
  const double angle = static_cast<double>(x);
  const double shifted = angle * 0.63661977236758134308 + shift;
  const double n = shifted - shift;
  const double r = (angle - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11;
  const double z = r * r;
  const double tail = z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880))));
  const double sine = r * (1.0 + tail);  // −0 stays

  const double cosine = 1.0 + z * (-0.5 + z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800)))));
  const uint64_t k = bits_of(shifted) + quarter;
  const double value = k & 1 ? cosine : sine;
  return static_cast<float>(k & 2 ? -value : value);
}
HW_BODY bool is_near(float x) {
  return abs(x) <= kFarAngle;
}

HW_BODY double sin(double x) {
  return ::sin(x);
}
HW_BODY double cos(double x) {
  return ::cos(x);
}
/// These two branch: a loop that wants vectors asks is_near for a whole block.
HW_BODY float sin(float x) {
  return is_near(x) ? sin_near(x, 0) : static_cast<float>(math_f64::sin(static_cast<double>(x)));
}
HW_BODY float cos(float x) {
  return is_near(x) ? sin_near(x, 1) : static_cast<float>(math_f64::cos(static_cast<double>(x)));
}

/// The angle of the vector (x, y), as IEEE 754 has it for zeros and Inf. f32: the polynomial of Cephes' atanf.
HW_BODY double atan2(double y, double x) {
  return ::atan2(y, x);
}
HW_BODY float atan2(float y, float x) {
  const float height = abs(y), width = abs(x);
  const bool steep = height > width;
  const float low = steep ? width : height, high = steep ? height : width;
  const float equal = low == high ? 1.0f : low / high;  // Inf / Inf
  const float ratio = high == 0.0f ? 0.0f : equal;
  const bool far = ratio > 0.414213562f;  // tan(π/8)
  const float t = far ? (ratio - 1.0f) / (ratio + 1.0f) : ratio, z = t * t;
  float p = 8.05374449538e-2f;
  p = p * z + -1.38776856032e-1f;
  p = p * z + 1.99777106478e-1f;
  p = p * z + -3.33329491539e-1f;
  const float small = p * z * t + t;
  const float eighth = far ? 0.785398163397f + small : small;
  const float quarter = steep ? 1.57079632679f - eighth : eighth;
  const float half = (bits_of(x) >> 31) != 0 ? 3.14159265359f - quarter : quarter;
  const float angle = float_of(bits_of(half) | (bits_of(y) & 0x80000000u));
  return (x == x) & (y == y) ? angle : x + y;
}

HW_BODY double sqrt(double x) {
  return ::sqrt(x);
}
HW_BODY float sqrt(float x) {
  return ::sqrtf(x);
}
HW_BODY double floor(double x) {
  return ::floor(x);
}
HW_BODY float floor(float x) {
  return ::floorf(x);
}
/// To the nearest whole number, ties to even.
HW_BODY double round(double x) {
  return ::rint(x);
}
HW_BODY float round(float x) {
  return ::rintf(x);
}

/// NaN where x < 0 and y is no whole number. Calls the platform.
HW_BODY double pow(double x, double y) {
  return ::pow(x, y);
}
HW_BODY float pow(float x, float y) {
  return ::powf(x, y);
}

HW_BODY double tan(double x) {
  return ::tan(x);
}
HW_BODY float tan(float x) {
  return sin(x) / cos(x);
}

HW_BODY double sinh(double x) {
  return ::sinh(x);
}
HW_BODY float sinh(float x) {
  const float m = abs(x), z = x * x;
  const float h = exp(0.5f * m);  // squared last: exp(m) alone overflows earlier than sinh
  const float far = 0.5f * h * h - 0.5f / h / h;
  float p = 2.7557319e-6f;  // the Taylor series
  p = p * z + 1.9841270e-4f;
  p = p * z + 8.3333333e-3f;
  p = p * z + 0.16666667f;
  const float near = p * z * x + x;
  const float signed_far = x < 0.0f ? -far : far;
  return m < 1.0f ? near : signed_far;
}
HW_BODY double cosh(double x) {
  return ::cosh(x);
}
HW_BODY float cosh(float x) {
  const float h = exp(0.5f * abs(x));
  return 0.5f * h * h + 0.5f / h / h;
}

HW_BODY double asinh(double x) {
  return ::asinh(x);
}
HW_BODY float asinh(float x) {
  const float m = abs(x);
  const float c = m > 4096.0f ? 4096.0f : m;  // beyond, the square may overflow
  const float near = log1p_nonnegative(c + c * c / (1.0f + sqrt(1.0f + c * c)));
  const float far = m > 4096.0f ? log(m) + 0.69314718056f : near;
  return with_sign(far, x);
}
/// NaN where x < 1.
HW_BODY double acosh(double x) {
  return ::acosh(x);
}
HW_BODY float acosh(float x) {
  const float t = x - 1.0f;
  const float c = t > 4096.0f ? 4096.0f : t;
  const float near = log1p_nonnegative(c + sqrt(c) * sqrt(c + 2.0f));
  const float far = t > 4096.0f ? log(x) + 0.69314718056f : near;
  return x == x ? far : x;
}
/// NaN where |x| > 1.
HW_BODY double atanh(double x) {
  return ::atanh(x);
}
HW_BODY float atanh(float x) {
  const float m = abs(x), infinity = std::numeric_limits<float>::infinity();
  const float ratio = (m + m) / (1.0f - (m < 1.0f ? m : 0.5f));
  const float inside = 0.5f * log1p_nonnegative(ratio);
  const float edge = m == 1.0f ? infinity : std::numeric_limits<float>::quiet_NaN();
  return with_sign(m < 1.0f ? inside : edge, x);
}

}  // namespace hw::kernels::math
