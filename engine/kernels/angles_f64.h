// sin, cos, tan and atan2 of f64 with the same bits everywhere, within 2 ulp, whatever the size of the angle.
// Polynomials and the near reduction as in fdlibm (Sun Microsystems), the far one as M. Payne and R. Hanek have it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/kernels/math_f64.h"

namespace hw::kernels::math_f64 {

/// x = n · π/2 + (hi + lo) with |hi| ≤ π/4, for |x| < 2^20: the two and the low bits of n. π/2 in four parts.
HW_BODY uint32_t reduce_near(double x, double& hi, double& lo) {
  const double shift = 6755399441055744.0;  // 1.5 · 2^52
  const double shifted = x * 0.63661977236758134308 + shift;
  const double n = shifted - shift;
  double second, third, second_error, third_error;
  two_sum(x - n * 1.57079632673412561417, -(n * 6.07710050630396597660e-11), second, second_error);
  two_sum(second, -(n * 2.02226624871116645580e-21), third, third_error);
  const double rest = (second_error + third_error) - n * 8.47842766036889956997e-32;
  const double sum = third + rest;
  lo = (third - sum) + rest;
  hi = sum;
  return static_cast<uint32_t>(math::bits_of(shifted));
}

/// The same for finite |x| ≥ 1: x · 2/π / 4 with all bits behind the point that count.
HW_BODY uint32_t reduce_far(double x, double& hi, double& lo) {
  // 2/π behind 64 zeros, 32 bits a word.
  const uint32_t words[] = {0x00000000u, 0x00000000u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u,
                            0x3C439041u, 0xFE5163ABu, 0xDEBBC561u, 0xB7246E3Au, 0x424DD2E0u, 0x06492EEAu, 0x09D1921Cu,
                            0xFE1DEB1Cu, 0xB129A73Eu, 0xE88235F5u, 0x2EBB4484u, 0xE99C7026u, 0xB45F7E41u, 0x3991D639u,
                            0x835339F4u, 0x9C845F8Bu, 0xBDF9283Bu, 0x1FF897FFu, 0xDE05980Fu, 0xEF2F118Bu, 0x5A0A6D1Fu,
                            0x6D367ECFu, 0x27CB09B7u, 0x4F463F66u, 0x9E5FEA2Du, 0x7527BAC7u, 0xEBE5F17Bu, 0x3D0739F7u,
                            0x8A5292EAu, 0x6BFB5FB1u, 0x1F8D5D08u, 0x56033046u, 0xFC7B6BABu, 0xF0CFBC20u, 0x9AF4361Du};
  const uint64_t bits = math::bits_of(x);
  const int32_t exponent = static_cast<int32_t>(static_cast<uint32_t>(bits >> 52) & 2047u) - 1023 - 52 + 62;
  const int32_t first = exponent >> 5;
  const auto shift = static_cast<uint32_t>(exponent & 31);
  const uint64_t mantissa = (bits & 0x000FFFFFFFFFFFFFu) | 0x0010000000000000u;
  const uint64_t low_part = (mantissa & 0xFFFFFFFFu) << shift, high_part = (mantissa >> 32) << shift;
  uint32_t m[3];
  m[0] = static_cast<uint32_t>(low_part);
  const uint64_t middle = (low_part >> 32) + (high_part & 0xFFFFFFFFu);
  m[1] = static_cast<uint32_t>(middle);
  m[2] = static_cast<uint32_t>((middle >> 32) + (high_part >> 32));
  // The product, its lowest word first; what is above 2^224 are whole turns.
  uint32_t p[7];
  for (int i = 0; i < 7; ++i) p[i] = 0u;
  for (int i = 0; i < 3; ++i) {
    uint64_t carry = 0;
    for (int j = 0; j + i < 7; ++j) {
      const uint64_t sum = static_cast<uint64_t>(m[i]) * static_cast<uint64_t>(words[first + 6 - j]) +
                           static_cast<uint64_t>(p[i + j]) + carry;
      p[i + j] = static_cast<uint32_t>(sum);
      carry = sum >> 32;
    }
  }
  // Quarters, to the nearest; then the rest as a fraction of one with its sign.
  const uint32_t quarter = (p[6] + 0x20000000u) >> 30;
  const bool negative = (p[6] & 0x20000000u) != 0u;
  const uint32_t flip = negative ? 0xFFFFFFFFu : 0u;
  const double a = static_cast<double>((p[6] ^ flip) & 0x1FFFFFFFu) * 9.3132257461547852e-10;  // 2^-30
  const double b = static_cast<double>(p[5] ^ flip) * 2.1684043449710089e-19;                  // 2^-62
  const double c = static_cast<double>(p[4] ^ flip) * 5.0487097934144756e-29;                  // 2^-94
  const double d = static_cast<double>(p[3] ^ flip) * 1.1754943508222875e-38;                  // 2^-126
  const double e =
      (static_cast<double>(p[2] ^ flip) + static_cast<double>(negative)) * 2.7369110631344083e-48;  // 2^-158
  double ab, ab_error, abc, abc_error;
  two_sum(a, b, ab, ab_error);
  two_sum(ab, c, abc, abc_error);
  const double rest = (ab_error + abc_error) + (d + e);
  const double f = abc + rest;
  const double f_rest = (abc - f) + rest;
  // times π/2: the product of the two heads exactly, by halves (Dekker).
  const double f_high = math::double_of(math::bits_of(f) & 0xFFFFFFFFF8000000u), f_low = f - f_high;
  const double pi_high = 1.5707963109016418, pi_low = 1.5893254712295857e-8, pi = 1.5707963267948966;
  const double product = f * pi;
  const double error = ((f_high * pi_high - product) + f_high * pi_low + f_low * pi_high) + f_low * pi_low;
  const double tail = error + (f * 6.123233995736766e-17 + f_rest * pi);
  const double sum = product + tail;
  const double sum_rest = (product - sum) + tail;
  const bool turn = negative != (x < 0.0);
  hi = turn ? -sum : sum;
  lo = turn ? -sum_rest : sum_rest;
  return x < 0.0 ? 0u - quarter : quarter;
}

/// sin(x + quarter · π/2).
HW_BODY double sin_of(double x, uint32_t quarter) {
  if (!(abs(x) < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::quiet_NaN();
  double r, y;
  uint32_t n = 0;
  if (abs(x) < 1048576.0)
    n = reduce_near(x, r, y);
  else
    n = reduce_far(x, r, y);
  const uint32_t k = n + quarter;
  const double z = r * r;
  double s = 1.58969099521155010221e-10;
  s = s * z - 2.50507602534068634195e-08;
  s = s * z + 2.75573137070700676789e-06;
  s = s * z - 1.98412698298579493134e-04;
  s = s * z + 8.33333333332248946124e-03;
  const double v = z * r;
  const double sine = r - ((z * (0.5 * y - v * s) - y) - v * -1.66666666666666324348e-01);
  double c = -1.13596475577881948265e-11;
  c = c * z + 2.08757232129817482790e-09;
  c = c * z - 2.75573143513906633035e-07;
  c = c * z + 2.48015872894767294178e-05;
  c = c * z - 1.38888888888741095749e-03;
  c = c * z + 4.16666666666666019037e-02;
  const double half_z = 0.5 * z;
  const double w = 1.0 - half_z;
  const double cosine = w + (((1.0 - w) - half_z) + (z * (c * z) - r * y));
  const double value = (k & 1u) != 0u ? cosine : sine;
  return (k & 2u) != 0u ? -value : value;
}
HW_BODY double sin(double x) {
  return x == 0.0 ? x : sin_of(x, 0u);
}
HW_BODY double cos(double x) {
  return sin_of(x, 1u);
}
/// Within 3 ulp.
HW_BODY double tan(double x) {
  return sin(x) / cos(x);
}

/// The angle of the vector (x, y), as IEEE 754 has it for zeros and Inf.
HW_BODY double atan2(double y, double x) {
  const double height = abs(y), width = abs(x);
  const double equal = height == width ? 1.0 : height / width;  // Inf / Inf
  const double a = height == 0.0 ? 0.0 : equal;
  // atan(a) = base + atan(t)
  double t = a, base = 0.0, base_low = 0.0;
  if (a >= 2.4375) {
    t = -1.0 / a;
    base = 1.57079632679489655800e+00;
    base_low = 6.12323399573676603587e-17;
  } else if (a >= 1.1875) {
    t = (a - 1.5) / (1.0 + 1.5 * a);
    base = 9.82793723247329054082e-01;
    base_low = 1.39033110312309984516e-17;
  } else if (a >= 0.6875) {
    t = (a - 1.0) / (a + 1.0);
    base = 7.85398163397448278999e-01;
    base_low = 3.06161699786838301793e-17;
  } else if (a >= 0.4375) {
    t = (2.0 * a - 1.0) / (2.0 + a);
    base = 4.63647609000806093515e-01;
    base_low = 2.26987774529616870924e-17;
  }
  const double z = t * t;
  double p = 1.62858201153657823623e-02;
  p = p * z - 3.65315727442169155270e-02;
  p = p * z + 4.97687799461593236017e-02;
  p = p * z - 5.83357013379057348645e-02;
  p = p * z + 6.66107313738753120669e-02;
  p = p * z - 7.69187620504482999495e-02;
  p = p * z + 9.09088713343650656196e-02;
  p = p * z - 1.11111104054623557880e-01;
  p = p * z + 1.42857142725034663711e-01;
  p = p * z - 1.99999999998764832476e-01;
  p = p * z + 3.33333333333329318027e-01;
  const double first = base - ((t * (p * z) - base_low) - t);
  const bool left = (math::bits_of(x) >> 63) != 0u;
  const double angle = left ? 3.1415926535897931160e+00 - (first - 1.2246467991473531772e-16) : first;
  return (x == x) & (y == y) ? with_sign(angle, y) : x + y;
}

}  // namespace hw::kernels::math_f64
