// Scalar bodies of the conversions between dtypes, for every device; what they promise stands in convert.h.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/core/compat.h"
#include "engine/core/dispatch.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

namespace hw::convert_bodies {

// A binary format with E exponent and M mantissa bits. kFinite: no Inf, one NaN pattern (all ones), so the top exponent
// holds numbers.
template <int E, int M, bool kFinite>
struct Format {
  static constexpr int kBias = (1 << (E - 1)) - 1;
  static constexpr int kMinExponent = 1 - kBias;
  static constexpr uint32_t kSign = 1u << (E + M);
  static constexpr uint32_t kInf = ((1u << E) - 1) << M;  // the first pattern after the numbers when !kFinite
  static constexpr uint32_t kNaN = kFinite ? kSign - 1 : kInf | (1u << (M - 1));
  static constexpr uint32_t kMax = (kFinite ? kSign - 1 : kInf) - 1;

  HW_HD static double decode(uint32_t bits) {
    const bool negative = bits & kSign;
    const uint32_t magnitude = bits & (kSign - 1);
    const uint32_t mantissa = magnitude & ((1u << M) - 1);
    const int exponent = static_cast<int>(magnitude >> M);
    double value;
    if (kFinite ? magnitude == kNaN : magnitude > kInf) {
      const uint64_t payload = kFinite ? 0 : uint64_t{mantissa} << (52 - M);
      value = std::bit_cast<double>(uint64_t{0x7FF8000000000000} | payload);
    } else if (!kFinite && magnitude == kInf) {
      value = std::numeric_limits<double>::infinity();
    } else if (exponent == 0) {
      value = std::ldexp(static_cast<double>(mantissa), kMinExponent - M);
    } else {
      value = std::bit_cast<double>((uint64_t(exponent - kBias + 1023) << 52) | (uint64_t{mantissa} << (52 - M)));
    }
    return negative ? -value : value;
  }

  // One rounding, nearest even. f64 subnormals lie far below half of the smallest value of every format here.
  HW_HD static uint32_t encode(double value, bool saturate) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    const uint32_t sign = (bits >> 63) ? kSign : 0;
    const uint64_t magnitude = bits & 0x7FFFFFFFFFFFFFFF;
    if (magnitude > 0x7FF0000000000000)
      return sign | kNaN | (kFinite ? 0 : static_cast<uint32_t>((magnitude & 0xFFFFFFFFFFFFF) >> (52 - M)));
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    if (exponent < kMinExponent - M - 1) return sign;
    const int below = exponent < kMinExponent ? kMinExponent - exponent : 0;
    const int shift = 52 - M + below;
    const uint64_t mantissa = (magnitude & 0xFFFFFFFFFFFFF) | (uint64_t{1} << 52);
    uint64_t kept = mantissa >> shift;
    const uint64_t rest = mantissa & ((uint64_t{1} << shift) - 1);
    const uint64_t half = uint64_t{1} << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    const uint64_t code = below ? kept : (uint64_t(exponent + kBias - 1) << M) + kept;
    if (code > kMax) return sign | (saturate ? kMax : kFinite ? kNaN : kInf);
    return sign | static_cast<uint32_t>(code);
  }
};

using F16 = Format<5, 10, false>;
using Bf16 = Format<8, 7, false>;
using E4m3 = Format<4, 3, true>;
using E5m2 = Format<5, 2, false>;

HW_HD inline float bf16_decode(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}
HW_HD inline uint16_t bf16_encode(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// f32 with the mantissa rounded to 10 bits; the same in one rounding from f64, beyond the largest tf32 number ±Inf.
HW_HD inline float tf32_of(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7F800000) == 0x7F800000) return std::bit_cast<float>(value != value ? bits | 0x400000 : bits);
  return std::bit_cast<float>((bits + 0xFFF + ((bits >> 13) & 1)) & ~uint32_t{0x1FFF});
}
HW_HD inline double tf32_of(double value) {
  constexpr int kMantissa = 10, kLeast = -136;  // of the smallest subnormal number
  if (value == 0 || value - value != 0) return value;
  int exponent;
  std::frexp(value, &exponent);  // |value| in [2^(exponent − 1), 2^exponent)
  const int place = exponent - 1 - kMantissa < kLeast ? kLeast : exponent - 1 - kMantissa;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -place)), place);
  const double most = std::ldexp(2.0 - std::ldexp(1.0, -kMantissa), 127);
  return std::fabs(rounded) > most ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

// Reading: floats to f64 (exact), integers to i64 (exact).
template <DType D, class Raw>
HW_HD auto load(Stored<D, Raw>, Raw raw) {
  if constexpr (D == DType::f16)
    return F16::decode(raw);
  else if constexpr (D == DType::bf16)
    return static_cast<double>(bf16_decode(raw));
  else if constexpr (D == DType::f8e4m3)
    return E4m3::decode(raw);
  else if constexpr (D == DType::f8e5m2)
    return E5m2::decode(raw);
  else if constexpr (D == DType::boolean)
    return int64_t{raw != 0};
  else if constexpr (std::is_integral_v<Raw>)
    return static_cast<int64_t>(raw);
  else
    return static_cast<double>(raw);
}

// i64 to f64, rounded to odd: a later rounding to 24 bits or fewer is then the one rounding there is.
HW_HD inline double round_to_odd(int64_t value) {
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const int shift = std::bit_width(magnitude) - 53;
  if (shift <= 0) return static_cast<double>(value);
  const bool lost = magnitude & ((uint64_t{1} << shift) - 1);
  const double result = std::ldexp(static_cast<double>((magnitude >> shift) | uint64_t{lost}), shift);
  return value < 0 ? -result : result;
}

template <DType D, class Raw>
HW_HD Raw store(Stored<D, Raw>, double value, bool saturate) {
  if constexpr (D == DType::f16) {
    return static_cast<Raw>(F16::encode(value, saturate));
  } else if constexpr (D == DType::bf16) {
    return static_cast<Raw>(Bf16::encode(value, saturate));
  } else if constexpr (D == DType::f8e4m3) {
    return static_cast<Raw>(E4m3::encode(value, saturate));
  } else if constexpr (D == DType::f8e5m2) {
    return static_cast<Raw>(E5m2::encode(value, saturate));
  } else if constexpr (D == DType::boolean) {
    return value != 0;
  } else if constexpr (std::is_integral_v<Raw>) {
    if (value != value) return 0;
    // 2^63 is exact in f64; the limits of the narrower types are too.
    if (value <= static_cast<double>(std::numeric_limits<Raw>::min())) return std::numeric_limits<Raw>::min();
    if (value >= static_cast<double>(std::numeric_limits<Raw>::max())) return std::numeric_limits<Raw>::max();
    return static_cast<Raw>(value);
  } else {
    const Raw result = static_cast<Raw>(value);
    const Raw limit = std::numeric_limits<Raw>::max();
    if (saturate && (result > limit || result < -limit)) return result > 0 ? limit : -limit;
    return result;
  }
}

template <DType D, class Raw>
HW_HD Raw store(Stored<D, Raw> to, int64_t value, bool saturate) {
  if constexpr (D == DType::boolean) {
    return value != 0;
  } else if constexpr (D == DType::f64) {
    return static_cast<double>(value);
  } else if constexpr (D == DType::i8 || D == DType::u8 || D == DType::i32 || D == DType::i64) {
    const int64_t lo = std::numeric_limits<Raw>::min(), hi = std::numeric_limits<Raw>::max();
    return static_cast<Raw>(value < lo ? lo : value > hi ? hi : value);
  } else {
    return store(to, round_to_odd(value), saturate);
  }
}

/// Large code that a kernel calls rather than contains.
#ifdef __CUDACC__
#define HW_CALLED __noinline__
#else
#define HW_CALLED
#endif

template <DType D, class Raw>
HW_HD HW_CALLED Raw store_rounded(Stored<D, Raw> to, double value) {
  return store(to, value, false);
}

/// f16 bits that stand for an f8 number: e5m2's own, e4m3's ÷ 256. Exact, subnormals too.
HW_HD inline uint16_t f16_bits(Stored<DType::f8e5m2, uint8_t>, uint8_t bits) {
  return static_cast<uint16_t>(bits << 8);
}
HW_HD inline uint16_t f16_bits(Stored<DType::f8e4m3, uint8_t>, uint8_t bits) {
  const auto nan = static_cast<uint16_t>((bits & 0x7F) == 0x7F ? 0x7E00 : (bits & 0x7F) << 7);
  return static_cast<uint16_t>((bits & 0x80) << 8 | nan);
}

/// An element as T = float or double; whole numbers are rounded to it. A GPU reads f16 by its own instruction, which
/// gives the same bits (of NaN: another payload).
template <class T, DType D, class Raw>
HW_HD T load_as(Stored<D, Raw> from, Raw raw) {
  if constexpr (D == DType::f16) {
#ifdef __CUDA_ARCH__
    return static_cast<T>(__half2float(__ushort_as_half(raw)));
#else
    return static_cast<T>(load(from, raw));
#endif
  } else if constexpr (D == DType::f8e4m3) {
    return load_as<T>(Stored<DType::f16, uint16_t>{}, f16_bits(from, raw)) * T(256);
  } else if constexpr (D == DType::f8e5m2) {
    return load_as<T>(Stored<DType::f16, uint16_t>{}, f16_bits(from, raw));
  } else if constexpr (D == DType::bf16) {
    return static_cast<T>(bf16_decode(raw));
  } else if constexpr (D == DType::f32 || D == DType::f64) {
    return static_cast<T>(raw);
  } else {
    return static_cast<T>(load(from, raw));
  }
}

/// The element that T = float or double is rounded to, once.
template <class T, DType D, class Raw>
HW_HD Raw store_as(Stored<D, Raw> to, T value) {
  if constexpr (std::is_floating_point_v<Raw>) {
    return static_cast<Raw>(value);
  } else if constexpr (sizeof(T) == 4 && D == DType::bf16) {
    return bf16_encode(value);
  } else if constexpr (sizeof(T) == 4 && D == DType::f16) {
#ifdef __CUDA_ARCH__
    return __half_as_ushort(__float2half_rn(value));
#else
    return store(to, static_cast<double>(value), false);
#endif
  } else {
    return store_rounded(to, static_cast<double>(value));
  }
}

}  // namespace hw::convert_bodies
