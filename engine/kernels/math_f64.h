// Elementary functions of f64 with the same bits everywhere, within 2 ulp where not said otherwise. Reductions and
// polynomials as in fdlibm (Sun Microsystems) but for erf and erfc, whose polynomials were fitted here.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/kernels/bits.h"

namespace hw::kernels::math_f64 {

HW_BODY double abs(double x) {
  return math::double_of(math::bits_of(x) & 0x7FFFFFFFFFFFFFFFu);
}
HW_BODY double with_sign(double magnitude, double sign) {
  return math::double_of((math::bits_of(magnitude) & 0x7FFFFFFFFFFFFFFFu) |
                         (math::bits_of(sign) & 0x8000000000000000u));
}
/// 2^k for −1023 < k < 1024.
HW_BODY double power_of_two(int32_t k) {
  return math::double_of(static_cast<uint64_t>(k + 1023) << 52);
}

/// sum + error = a + b exactly.
HW_BODY void two_sum(double a, double b, double& sum, double& error) {
  const double s = a + b;
  const double other = s - a;
  error = (a - (s - other)) + (b - other);
  sum = s;
}

HW_BODY double exp(double x) {
  const double low = x < -746.0 ? -746.0 : x;
  const double c = low > 710.0 ? 710.0 : low;
  const double shift = 6755399441055744.0;  // 1.5 · 2^52: adding it rounds to an integer in the low mantissa bits
  const double shifted = c * 1.4426950408889634 + shift;
  const double n = shifted - shift;
  const double hi = c - n * 6.93147180369123816490e-01, lo = n * 1.90821492927058770002e-10;
  const double r = hi - lo, z = r * r;
  double p = 4.13813679705723846039e-08;
  p = p * z - 1.65339022054652515390e-06;
  p = p * z + 6.61375632143793436117e-05;
  p = p * z - 2.77777777770155933842e-03;
  p = p * z + 1.66666666666666019037e-01;
  const double d = r - z * p;
  const double y = 1.0 - ((lo - r * d / (2.0 - d)) - hi);
  const auto k = static_cast<int32_t>(static_cast<uint32_t>(math::bits_of(shifted)));
  const int32_t half = k >> 1;  // two factors: 2^k alone may overflow or be subnormal
  return y * power_of_two(half) * power_of_two(k - half);
}

/// log(u + c) for a normal u > 0 and a c below u's last digit.
HW_BODY double log_of_sum(double u, double c) {
  const uint64_t bits = math::bits_of(u);
  const double mantissa = math::double_of((bits & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u);  // [1, 2)
  const bool high = mantissa > 1.4142135623730951;
  const double f = (high ? 0.5 * mantissa : mantissa) - 1.0;
  const int32_t exponent = static_cast<int32_t>(static_cast<uint32_t>(bits >> 52)) - 1023 + static_cast<int32_t>(high);
  const auto k = static_cast<double>(exponent);
  const double s = f / (2.0 + f), z = s * s;
  double p = 1.479819860511658591e-01;
  p = p * z + 1.531383769920937332e-01;
  p = p * z + 1.818357216161805012e-01;
  p = p * z + 2.222219843214978396e-01;
  p = p * z + 2.857142874366239149e-01;
  p = p * z + 3.999999999940941908e-01;
  p = p * z + 6.666666666666735130e-01;
  const double half_square = 0.5 * f * f;
  const double low = s * (half_square + p * z) + (k * 1.90821492927058770002e-10 + c / u);
  return k * 6.93147180369123816490e-01 - ((half_square - low) - f);
}
HW_BODY double log(double x) {
  const bool subnormal = x < 2.2250738585072014e-308;
  const double scaled = x * 18014398509481984.0;  // 2^54
  const double value = log_of_sum(subnormal ? scaled : x, 0.0) - (subnormal ? 37.429947750237048 : 0.0);
  const double infinity = std::numeric_limits<double>::infinity();
  const double positive = x < infinity ? value : x;  // +Inf, NaN
  const double edge = x < 0.0 ? std::numeric_limits<double>::quiet_NaN() : positive;
  return x == 0.0 ? -infinity : edge;
}
/// log(1 + x).
HW_BODY double log1p(double x) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double u = 1.0 + x;
  const double rest = u >= 2.0 ? 1.0 - (u - x) : x - (u - 1.0);
  const double value = log_of_sum(u, rest);
  const double positive = u < infinity ? value : x;
  const double edge = u < 0.0 ? std::numeric_limits<double>::quiet_NaN() : positive;
  const double far = u == 0.0 ? -infinity : edge;
  return u == 1.0 ? x : far;
}

/// exp(x) − 1.
HW_BODY double expm1(double x) {
  const double low = x < -60.0 ? -60.0 : x;
  const double c = low > 710.0 ? 710.0 : low;
  const double shift = 6755399441055744.0;
  const double shifted = c * 1.4426950408889634 + shift;
  const double n = shifted - shift;
  const double hi = c - n * 6.93147180369123816490e-01, lo = n * 1.90821492927058770002e-10;
  const double r = hi - lo, rest = (hi - r) - lo;
  const double half_r = 0.5 * r, z = r * half_r;
  double p = -2.01099218183624371326e-07;
  p = p * z + 4.00821782732936239552e-06;
  p = p * z - 7.93650757867487942473e-05;
  p = p * z + 1.58730158725481460165e-03;
  p = p * z - 3.33333333333331316428e-02;
  const double q = 1.0 + p * z;
  const double t = 3.0 - q * half_r;
  const double e = z * ((q - t) / (6.0 - r * t));
  if (n == 0.0) return x == 0.0 ? x : r - (r * e - z);
  const double d = (r * (e - rest) - rest) - z;
  if (n == -1.0) return 0.5 * (r - d) - 0.5;
  if (n == 1.0) return r < -0.25 ? -2.0 * (d - (r + 0.5)) : 1.0 + 2.0 * (r - d);
  const auto k = static_cast<int32_t>(static_cast<uint32_t>(math::bits_of(shifted)));
  const int32_t half = k >> 1;
  const double scale = power_of_two(half), rest_scale = power_of_two(k - half);
  if (n <= -2.0 || n > 56.0) return (1.0 - (d - r)) * scale * rest_scale - 1.0;
  const double inverse = power_of_two(-k);
  if (n < 20.0) return ((1.0 - inverse) - (d - r)) * scale * rest_scale;
  return ((r - (d + inverse)) + 1.0) * scale * rest_scale;
}

HW_BODY double tanh(double x) {
  const double m = abs(x);
  const double c = m > 22.0 ? 22.0 : m;
  const double t = expm1(c >= 1.0 ? 2.0 * c : -2.0 * c);
  const double far = 1.0 - 2.0 / (t + 2.0), near = -t / (t + 2.0);
  return x == x ? with_sign(c >= 1.0 ? far : near, x) : x;
}
HW_BODY double sinh(double x) {
  const double m = abs(x);
  const double h = with_sign(0.5, x);
  if (m < 22.0) {
    const double t = expm1(m);
    return m < 1.0 ? h * (2.0 * t - t * t / (t + 1.0)) : h * (t + t / (t + 1.0));
  }
  const double w = exp(0.5 * m);  // squared last: exp(m) alone overflows earlier than sinh
  return m < 709.0 ? h * exp(m) : (h * w) * w;
}
HW_BODY double cosh(double x) {
  const double m = abs(x);
  if (m < 0.35) {
    const double t = expm1(m), w = 1.0 + t;
    return 1.0 + (t * t) / (w + w);
  }
  const double w = exp(0.5 * m), e = exp(m > 709.0 ? 709.0 : m);
  const double far = m < 709.0 ? 0.5 * e : (0.5 * w) * w;
  return m < 22.0 ? 0.5 * e + 0.5 / e : far;
}
HW_BODY double asinh(double x) {
  const double m = abs(x), z = m * m;
  if (m > 268435456.0) return x == x ? with_sign(log(m) + 6.93147180559945286227e-01, x) : x;
  const double far = log(2.0 * m + 1.0 / (std::sqrt(z + 1.0) + m));
  const double near = log1p(m + z / (1.0 + std::sqrt(1.0 + z)));
  return x == x ? with_sign(m > 2.0 ? far : near, x) : x;
}
/// NaN where x < 1.
HW_BODY double acosh(double x) {
  if (x > 268435456.0) return log(x) + 6.93147180559945286227e-01;
  const double t = x - 1.0;
  const double near = log1p(t + std::sqrt(2.0 * t + t * t));
  return x > 2.0 ? log(2.0 * x - 1.0 / (x + std::sqrt(x * x - 1.0))) : near;
}
/// NaN where |x| > 1.
HW_BODY double atanh(double x) {
  const double m = abs(x), t = m + m;
  const double near = 0.5 * log1p(t + t * m / (1.0 - m)), far = 0.5 * log1p(t / (1.0 - m));
  return x == x ? with_sign(m < 0.5 ? near : far, x) : x;
}

/// erfc(x) for x ≥ 0, within 5 ulp: erfc(x) · exp(x²) · (1 + 2 x) is a polynomial in t, fitted for x ≤ 28 to 2e-17;
/// beyond, it is 0.
HW_BODY double erfc_nonnegative(double x) {
  const double c = x > 28.0 ? 28.0 : x;
  const double t = (c - 3.75) / (c + 3.75);
  double p = -2.4108215365422332e-09;
  p = p * t - 8.782125734803521e-10;
  p = p * t + 3.285083556233316e-08;
  p = p * t + 1.5996335215573707e-08;
  p = p * t - 2.5261465267715506e-07;
  p = p * t - 4.815839621672849e-08;
  p = p * t + 1.7481190468391965e-06;
  p = p * t - 9.801666755858578e-07;
  p = p * t - 1.1442990926805438e-05;
  p = p * t + 2.2387259638230133e-05;
  p = p * t + 5.1648913469599865e-05;
  p = p * t - 0.00029015496529570924;
  p = p * t + 0.00029371366631088616;
  p = p * t + 0.001755626017152004;
  p = p * t - 0.009746579553431873;
  p = p * t + 0.028362277400457724;
  p = p * t - 0.05869339859030941;
  p = p * t + 0.09230432116153116;
  p = p * t - 0.10880393014171236;
  p = p * t + 0.08227673849011204;
  p = p * t + 0.003585415485463779;
  p = p * t - 0.1402405985855467;
  p = p * t + 1.2375126308378275;
  const double short_c = math::double_of(math::bits_of(c) & 0xFFFFFFFFF8000000u);  // its square is exact
  const double tail = exp(-short_c * short_c) * exp(-(c - short_c) * (c + short_c));
  return tail * (p / (1.0 + 2.0 * c));
}
/// 2 / √π ∫ exp(−t²) dt from 0 to x.
HW_BODY double erf(double x) {
  const double m = abs(x), z = m * m;
  double p = -4.230945824295338e-12;
  p = p * z + 8.709045129053106e-11;
  p = p * z - 1.216456005728345e-09;
  p = p * z + 1.4792401209404813e-08;
  p = p * z - 1.6364642158167616e-07;
  p = p * z + 1.6462045441468418e-06;
  p = p * z - 1.4925647567519332e-05;
  p = p * z + 0.00012055332902888736;
  p = p * z - 0.000854832702193483;
  p = p * z + 0.0052239776254232985;
  p = p * z - 0.02686617064512984;
  p = p * z + 0.1128379167095512;
  p = p * z - 0.37612638903183754;
  p = p * z + 1.1283791670955126;
  const double far = 1.0 - erfc_nonnegative(m);
  return m < 1.0 ? x * p : (x == x ? with_sign(far, x) : x);
}
/// 1 − erf(x), within 5 ulp.
HW_BODY double erfc(double x) {
  const double m = abs(x);
  if (m < 0.5) return 1.0 - erf(x);
  const double tail = erfc_nonnegative(m);
  return x < 0.0 ? 2.0 - tail : (x == x ? tail : x);
}

/// product + error = a · b, but for the last bits of the error (Dekker).
HW_BODY void two_product(double a, double b, double& product, double& error) {
  const double a_high = math::double_of(math::bits_of(a) & 0xFFFFFFFFF8000000u), a_low = a - a_high;
  const double b_high = math::double_of(math::bits_of(b) & 0xFFFFFFFFF8000000u), b_low = b - b_high;
  const double p = a * b;
  error = ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
  product = p;
}
/// log(x) = hi + lo to 64 bits, for a normal x · 2^-exponent > 0.
HW_BODY void log_parts(double x, double exponent, double& hi, double& lo) {
  const uint64_t bits = math::bits_of(x);
  const double mantissa = math::double_of((bits & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u);
  const bool high = mantissa > 1.4142135623730951;
  const double m = high ? 0.5 * mantissa : mantissa;
  const int32_t whole = static_cast<int32_t>(static_cast<uint32_t>(bits >> 52)) - 1023 + static_cast<int32_t>(high);
  const double k = static_cast<double>(whole) + exponent, f = m - 1.0;
  // log(m) = 2 s (1 + z / 3 + z² / 5 + …) with s = f / (m + 1) and z = s²
  double d, d_error, back, back_error, z, z_error, third, third_error;
  two_sum(m, 1.0, d, d_error);
  const double s = f / d;
  two_product(s, d, back, back_error);
  const double s_error = (((f - back) - back_error) - s * d_error) / d;
  two_product(s, s, z, z_error);
  z_error = z_error + 2.0 * s * s_error;
  two_product(z, 0.3333333333333333, third, third_error);
  third_error = third_error + (z * 1.850371707708594e-17 + z_error * 0.3333333333333333);
  double p = 0.04;
  p = p * z + 0.043478260869565216;
  p = p * z + 0.047619047619047616;
  p = p * z + 0.05263157894736842;
  p = p * z + 0.058823529411764705;
  p = p * z + 0.06666666666666667;
  p = p * z + 0.07692307692307693;
  p = p * z + 0.09090909090909091;
  p = p * z + 0.1111111111111111;
  p = p * z + 0.14285714285714285;
  p = p * z + 0.2;
  double q, q_error, sq, sq_error, sum, sum_error;
  two_sum(third, z * z * p, q, q_error);
  q_error = q_error + third_error;
  two_product(s, q, sq, sq_error);
  two_sum(s, sq, sum, sum_error);
  const double rest = sum_error + (s_error + (sq_error + (s * q_error + s_error * q)));
  double ln2, ln2_error, first, first_error, second, second_error;
  two_product(k, 1.90821492927058770002e-10, ln2, ln2_error);
  two_sum(k * 6.93147180369123816490e-01, 2.0 * sum, first, first_error);
  two_sum(first, ln2, second, second_error);
  const double small = (first_error + second_error) + (2.0 * rest + ln2_error);
  const double total = second + small;
  lo = (second - total) + small;
  hi = total;
}
/// NaN where x < 0 and y is no whole number.
HW_BODY double pow(double x, double y) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double m = abs(x);
  const bool subnormal = m < 2.2250738585072014e-308;
  double hi, lo, product, error;
  log_parts(subnormal ? m * 18014398509481984.0 : m, subnormal ? -54.0 : 0.0, hi, lo);
  const double positive = m < infinity ? hi : m;  // +Inf, NaN
  const double logarithm = m == 0.0 ? -infinity : positive;
  two_product(y, logarithm, product, error);
  const double inside = error + y * lo;
  const double rest = abs(product) < 1100.0 ? inside : 0.0;
  const double e = exp(product);
  const double size = rest == 0.0 ? e : e + e * rest;
  const bool whole = std::floor(y) == y;
  const bool odd = whole & (std::floor(0.5 * y) != 0.5 * y);
  const bool negative = (math::bits_of(x) >> 63) != 0u;
  const double by_sign = negative & odd ? -size : size;
  const bool outside = (x < 0.0) & !whole & (m < infinity);
  const double value = outside ? std::numeric_limits<double>::quiet_NaN() : by_sign;
  const bool infinite_power = (m == 1.0) & (abs(y) == infinity);
  return (x == 1.0) | (y == 0.0) | infinite_power ? 1.0 : value;
}

/// pow of f32, computed in f64 and rounded once.
HW_BODY float powf(float x, float y) {
  const float size = math::float_of(math::bits_of(x) & 0x7FFFFFFFu);
  const float power = math::float_of(math::bits_of(y) & 0x7FFFFFFFu);
  const float infinity = std::numeric_limits<float>::infinity();
  const bool whole = ::floorf(y) == y;
  const bool odd = whole & (::floorf(0.5f * y) != 0.5f * y);
  const bool negative = (math::bits_of(x) >> 31) != 0;
  const auto magnitude = static_cast<float>(exp(static_cast<double>(y) * log(static_cast<double>(size))));
  const float by_sign = negative & odd ? -magnitude : magnitude;
  const bool outside = (x < 0.0f) & !whole & (size < infinity);
  const float value = outside ? std::numeric_limits<float>::quiet_NaN() : by_sign;
  return (x == 1.0f) | (y == 0.0f) | ((size == 1.0f) & (power == infinity)) ? 1.0f : value;
}

}  // namespace hw::kernels::math_f64
