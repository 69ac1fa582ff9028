// f32 rounded to the narrower formats, and the values of their bits: engine/core/convert_bodies.h, in what shaders can
// have. Nearest, ties to even; `saturated`: beyond the largest number, ±Inf too, ± that number.
#pragma once

#include <cstdint>
#include <limits>

#include "engine/kernels/math.h"

namespace hw::kernels::narrow {

/// To `mantissa` explicit bits; below `normal` to multiples of `step`; `beyond` where that is more than `most`. 0 has
/// the sign of x, NaN stays.
HW_BODY float rounded(float x, uint32_t mantissa, float normal, float step, float most, float beyond) {
  const uint32_t bits = math::bits_of(x), dropped = 23u - mantissa;
  const uint32_t below = (1u << dropped) - 1u;
  const uint32_t odd = (bits >> dropped) & 1u;
  const float large = math::abs(math::float_of((bits + (below >> 1) + odd) & ~below));
  const float shift = step * 12582912.0f;  // 1.5 · 2^23
  const float small = math::abs((x + shift) - shift);
  const float magnitude = math::abs(x) < normal ? small : large;
  const float value = math::with_sign(magnitude > most ? beyond : magnitude, x);
  return x == x ? value : x;
}

HW_BODY float f16(float x) {
  const float infinity = std::numeric_limits<float>::infinity();
  return rounded(x, 10u, 6.103515625e-5f, 5.9604644775390625e-8f, 65504.0f, infinity);
}
HW_BODY float f16_saturated(float x) {
  return rounded(x, 10u, 6.103515625e-5f, 5.9604644775390625e-8f, 65504.0f, 65504.0f);
}

/// Its subnormal numbers are those of f32.
HW_BODY float bf16(float x) {
  const float infinity = std::numeric_limits<float>::infinity();
  return rounded(x, 7u, 0.0f, 1.0f, math::float_of(0x7F7F0000u), infinity);
}
HW_BODY float bf16_saturated(float x) {
  const float most = math::float_of(0x7F7F0000u);
  return rounded(x, 7u, 0.0f, 1.0f, most, most);
}

HW_BODY float f8e4m3(float x) {
  return rounded(x, 3u, 0.015625f, 0.001953125f, 448.0f, std::numeric_limits<float>::quiet_NaN());
}
HW_BODY float f8e4m3_saturated(float x) {
  return rounded(x, 3u, 0.015625f, 0.001953125f, 448.0f, 448.0f);
}

HW_BODY float f8e5m2(float x) {
  const float infinity = std::numeric_limits<float>::infinity();
  return rounded(x, 2u, 6.103515625e-5f, 1.52587890625e-5f, 57344.0f, infinity);
}
HW_BODY float f8e5m2_saturated(float x) {
  return rounded(x, 2u, 6.103515625e-5f, 1.52587890625e-5f, 57344.0f, 57344.0f);
}

/// As a factor of a product: Inf stays.
HW_BODY float tf32(float x) {
  const float infinity = std::numeric_limits<float>::infinity();
  return rounded(x, 10u, 0.0f, 1.0f, math::float_of(0x7F7FE000u), infinity);
}

/// As a cast to i64 and back: without its fraction, at most 2^63; NaN is 0.
template <class T>
HW_BODY T whole(T x) {
  const T most = T(9223372036854775808.0);
  const T size = math::floor(math::abs(x));
  const T held = size > most ? most : size;
  const T value = (x < T(0)) & (size > T(0)) ? -held : held;
  return x == x ? value : T(0);
}

// The number that bits are; what stands above those of the format is not looked at.

HW_BODY float f16_value(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7FFFu;
  const float small = static_cast<float>(magnitude) * 5.9604644775390625e-8f;
  const float normal = math::float_of((magnitude << 13) + (112u << 23));
  const float special = math::float_of((magnitude << 13) | 0x7F800000u);
  const float finite = magnitude < 0x400u ? small : normal;
  const float value = magnitude < 0x7C00u ? finite : special;
  return math::float_of(math::bits_of(value) | ((bits & 0x8000u) << 16));
}
HW_BODY float bf16_value(uint32_t bits) {
  return math::float_of(bits << 16);
}
HW_BODY float f8e4m3_value(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7Fu;
  const float small = static_cast<float>(magnitude) * 0.001953125f;
  const float normal = math::float_of((magnitude << 20) + (120u << 23));
  const float finite = magnitude < 8u ? small : normal;
  const float value = magnitude == 0x7Fu ? std::numeric_limits<float>::quiet_NaN() : finite;
  return math::float_of(math::bits_of(value) | ((bits & 0x80u) << 24));
}
HW_BODY float f8e5m2_value(uint32_t bits) {
  return f16_value((bits & 0xFFu) << 8);
}

}  // namespace hw::kernels::narrow
