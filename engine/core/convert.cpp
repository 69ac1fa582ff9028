// Conversions: the scalar bodies, and convert() over any pair of storable dtypes.
#include "engine/core/convert.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/core/convert_kernels.h"
#include "engine/core/dispatch.h"

namespace hw {
namespace {

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

  static double decode(uint32_t bits) {
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
  static uint32_t encode(double value, bool saturate) {
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

// Reading: floats to f64 (exact), integers to i64 (exact).
template <DType D, class Raw>
auto load(Stored<D, Raw>, Raw raw) {
  if constexpr (D == DType::f16)
    return F16::decode(raw);
  else if constexpr (D == DType::bf16)
    return static_cast<double>(bf16_to_f32(raw));
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
double round_to_odd(int64_t value) {
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const int shift = std::bit_width(magnitude) - 53;
  if (shift <= 0) return static_cast<double>(value);
  const bool lost = magnitude & ((uint64_t{1} << shift) - 1);
  const double result = std::ldexp(static_cast<double>((magnitude >> shift) | uint64_t{lost}), shift);
  return value < 0 ? -result : result;
}

template <DType D, class Raw>
Raw store(Stored<D, Raw>, double value, bool saturate) {
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
    if (std::isnan(value)) return 0;
    // 2^63 is exact in f64; the limits of the narrower types are too.
    if (value <= static_cast<double>(std::numeric_limits<Raw>::min())) return std::numeric_limits<Raw>::min();
    if (value >= static_cast<double>(std::numeric_limits<Raw>::max())) return std::numeric_limits<Raw>::max();
    return static_cast<Raw>(value);
  } else {
    const Raw result = static_cast<Raw>(value);
    const Raw limit = std::numeric_limits<Raw>::max();
    if (saturate && std::isinf(result)) return result > 0 ? limit : -limit;
    return result;
  }
}

template <DType D, class Raw>
Raw store(Stored<D, Raw> to, int64_t value, bool saturate) {
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

bool is_f32_or_narrower(DType dtype) {
  return info(dtype).is_float && info(dtype).storable && dtype != DType::f64;
}

template <class To, class From>
bool run(void (*kernel)(To*, const From*, size_t), void* dst, const void* src, size_t count) {
  kernel(static_cast<To*>(dst), static_cast<const From*>(src), count);
  return true;
}

// In one pass; false where there is no kernel for the pair.
bool convert_direct(DType to, void* dst, DType from, const void* src, size_t n) {
  const ConvertKernels& k = convert_kernels(best_isa());
  if (from == DType::f32) {
    if (to == DType::f16) return run(k.f32_to_f16, dst, src, n);
    if (to == DType::bf16) return run(k.f32_to_bf16, dst, src, n);
    if (to == DType::f8e4m3) return run(k.f32_to_f8e4m3, dst, src, n);
    if (to == DType::f8e5m2) return run(k.f32_to_f8e5m2, dst, src, n);
    return run(
        +[](float* d, const float* s, size_t count) { std::memcpy(d, s, count * sizeof(float)); }, dst, src, n);
  }
  if (to == DType::f32) {
    if (from == DType::f16) return run(k.f16_to_f32, dst, src, n);
    if (from == DType::bf16) return run(k.bf16_to_f32, dst, src, n);
    if (from == DType::f8e4m3) return run(k.f8e4m3_to_f32, dst, src, n);
    return run(k.f8e5m2_to_f32, dst, src, n);
  }
  if (from == DType::f16 && to == DType::bf16) return run(k.f16_to_bf16, dst, src, n);
  if (from == DType::bf16 && to == DType::f16) return run(k.bf16_to_f16, dst, src, n);
  if (from == DType::f8e4m3 && to == DType::bf16) return run(k.f8e4m3_to_bf16, dst, src, n);
  if (from == DType::f8e5m2 && to == DType::bf16) return run(k.f8e5m2_to_bf16, dst, src, n);
  return false;
}

// Through f32, which holds every value of these formats: still one rounding. Saturating clamps there.
void convert_vectorised(DType to, void* dst, DType from, const void* src, size_t count, bool saturate) {
  if (!saturate && convert_direct(to, dst, from, src, count)) return;
  constexpr size_t kBlock = 1024;
  float wide[kBlock];
  const auto max = static_cast<float>(info(to).max);
  for (size_t i = 0; i < count; i += kBlock) {
    const size_t n = std::min(kBlock, count - i);
    convert_direct(DType::f32, wide, from, static_cast<const char*>(src) + i * size_of(from), n);
    if (saturate)
      for (size_t j = 0; j < n; ++j) wide[j] = wide[j] > max ? max : wide[j] < -max ? -max : wide[j];
    convert_direct(to, static_cast<char*>(dst) + i * size_of(to), DType::f32, wide, n);
  }
}

template <auto kScalar, class To, class From>
void each(To* dst, const From* src, size_t count) {
  for (size_t i = 0; i < count; ++i) dst[i] = kScalar(src[i]);
}
uint16_t f16_to_bf16(uint16_t bits) {
  return f32_to_bf16(f16_to_f32(bits));
}
uint16_t bf16_to_f16(uint16_t bits) {
  return f32_to_f16(bf16_to_f32(bits));
}
uint8_t f32_to_f8e4m3_or_nan(float value) {
  return f32_to_f8e4m3(value, false);
}
uint8_t f32_to_f8e5m2_or_inf(float value) {
  return f32_to_f8e5m2(value, false);
}
uint16_t f8e4m3_to_bf16(uint8_t bits) {
  return f32_to_bf16(f8e4m3_to_f32(bits));
}
uint16_t f8e5m2_to_bf16(uint8_t bits) {
  return f32_to_bf16(f8e5m2_to_f32(bits));
}
void tf32_of(float* dst, const float* src, size_t count) {
  for (size_t i = 0; i < count; ++i) dst[i] = round_to_tf32(src[i]);
}

}  // namespace

float f16_to_f32(uint16_t bits) {
  return static_cast<float>(F16::decode(bits));
}
uint16_t f32_to_f16(float value) {
  return f64_to_f16(value);
}
uint16_t f64_to_f16(double value) {
  return static_cast<uint16_t>(F16::encode(value, false));
}
float bf16_to_f32(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}
uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}
uint16_t f64_to_bf16(double value) {
  return static_cast<uint16_t>(Bf16::encode(value, false));
}
float f8e4m3_to_f32(uint8_t bits) {
  return static_cast<float>(E4m3::decode(bits));
}
uint8_t f32_to_f8e4m3(float value, bool saturate) {
  return f64_to_f8e4m3(value, saturate);
}
uint8_t f64_to_f8e4m3(double value, bool saturate) {
  return static_cast<uint8_t>(E4m3::encode(value, saturate));
}
float f8e5m2_to_f32(uint8_t bits) {
  return static_cast<float>(E5m2::decode(bits));
}
uint8_t f32_to_f8e5m2(float value, bool saturate) {
  return f64_to_f8e5m2(value, saturate);
}
uint8_t f64_to_f8e5m2(double value, bool saturate) {
  return static_cast<uint8_t>(E5m2::encode(value, saturate));
}

float round_to_tf32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7F800000) == 0x7F800000) return std::bit_cast<float>(std::isnan(value) ? bits | 0x400000 : bits);
  return std::bit_cast<float>((bits + 0xFFF + ((bits >> 13) & 1)) & ~uint32_t{0x1FFF});
}

const ConvertKernels kConvertScalar{each<hw::f16_to_f32>,
                                    each<hw::f32_to_f16>,
                                    each<hw::bf16_to_f32>,
                                    each<hw::f32_to_bf16>,
                                    each<f16_to_bf16>,
                                    each<bf16_to_f16>,
                                    each<hw::f8e4m3_to_f32>,
                                    each<f32_to_f8e4m3_or_nan>,
                                    each<hw::f8e5m2_to_f32>,
                                    each<f32_to_f8e5m2_or_inf>,
                                    each<f8e4m3_to_bf16>,
                                    each<f8e5m2_to_bf16>,
                                    tf32_of};

const ConvertKernels& convert_kernels(Isa isa) {
  assert(isa <= detected_isa());
#if defined(__x86_64__)
  if (isa == Isa::avx512) return kConvertAvx512;
  if (isa == Isa::avx2) return kConvertAvx2;
#endif
  (void)isa;
  return kConvertScalar;
}

void convert(DType to, void* dst, DType from, const void* src, size_t count, bool saturate) {
  assert(info(to).storable && info(from).storable);
  if (to == from && !(saturate && info(to).has_inf)) {
    if (count) std::memcpy(dst, src, count * size_of(to));
    return;
  }
  if (is_f32_or_narrower(to) && is_f32_or_narrower(from))
    return convert_vectorised(to, dst, from, src, count, saturate);
  dispatch(from, [&](auto from_type) {
    dispatch(to, [&](auto to_type) {
      const auto* in = static_cast<const typename decltype(from_type)::Raw*>(src);
      auto* out = static_cast<typename decltype(to_type)::Raw*>(dst);
      for (size_t i = 0; i < count; ++i) out[i] = store(to_type, load(from_type, in[i]), saturate);
    });
  });
}

double round_to_tf32(double value) {
  int exponent;
  std::frexp(value, &exponent);  // |value| in [2^(exponent − 1), 2^exponent)
  if (value == 0 || !std::isfinite(value)) return value;
  const DTypeInfo& tf32 = info(DType::tf32);
  const double place = std::max(std::ldexp(1.0, exponent - 1 - tf32.mantissa_bits), tf32.min_subnormal);
  const double rounded = std::nearbyint(value / place) * place;
  return std::abs(rounded) > tf32.max ? std::copysign(HUGE_VAL, value) : rounded;
}

void round_through(DType format, DType to, void* dst, DType from, const void* src, size_t count) {
  constexpr size_t kBlock = 1024;
  alignas(64) char narrow[kBlock * sizeof(double)];
  for (size_t i = 0; i < count; i += kBlock) {
    const size_t n = std::min(kBlock, count - i);
    const char* x = static_cast<const char*>(src) + i * size_of(from);
    char* y = static_cast<char*>(dst) + i * size_of(to);
    if (format != DType::tf32) {
      convert(format, narrow, from, x, n);
      convert(to, y, format, narrow, n);
    } else if (from == DType::f64) {
      auto* wide = reinterpret_cast<double*>(narrow);
      for (size_t j = 0; j < n; ++j) wide[j] = round_to_tf32(reinterpret_cast<const double*>(x)[j]);
      convert(to, y, DType::f64, wide, n);
    } else {
      auto* single = reinterpret_cast<float*>(narrow);
      convert(DType::f32, single, from, x, n);
      convert_kernels(best_isa()).f32_to_tf32(single, single, n);
      convert(to, y, DType::f32, single, n);
    }
  }
}

}  // namespace hw
