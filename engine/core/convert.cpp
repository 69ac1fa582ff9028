// Conversions: the scalar bodies, and convert() over any pair of storable dtypes.
#include "engine/core/convert.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/core/convert_bodies.h"
#include "engine/core/convert_kernels.h"
#include "engine/core/dispatch.h"

namespace hw {

using namespace convert_bodies;

namespace {

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
void all_tf32_of(float* dst, const float* src, size_t count) {
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
  return bf16_decode(bits);
}
uint16_t f32_to_bf16(float value) {
  return bf16_encode(value);
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
  return tf32_of(value);
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
                                    all_tf32_of};

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
    if (count) std::memcpy(dst, src, byte_count(to, count));
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
  return tf32_of(value);
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
