// Conversions among f32 and the narrow floats for AVX2 and F16C: eight lanes, the tail through a small buffer.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>

#include "engine/core/convert_kernels.h"

namespace hw {
namespace {

constexpr size_t kLanes = 8;

__m256 load_f16(const uint16_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
__m256 load_bf16(const uint16_t* p) {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
__m256 load_f32(const float* p) {
  return _mm256_loadu_ps(p);
}
void store_f32(float* p, __m256 v) {
  _mm256_storeu_ps(p, v);
}
void store_f16(uint16_t* p, __m256 v) {
  const __m128i narrow = _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), narrow);
}
void store_bf16(uint16_t* p, __m256 v) {
  const __m256i bits = _mm256_castps_si256(v);
  const __m256i high = _mm256_srli_epi32(bits, 16);
  const __m256i lsb = _mm256_and_si256(high, _mm256_set1_epi32(1));
  const __m256i rounded =
      _mm256_srli_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(lsb, _mm256_set1_epi32(0x7FFF))), 16);
  const __m256i quiet = _mm256_or_si256(high, _mm256_set1_epi32(0x40));
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  const __m256i result = _mm256_blendv_epi8(rounded, quiet, is_nan);
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(result, result), 0x08);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(packed));
}

__m128i load_bytes(const uint8_t* p) {
  return _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}
// f8e5m2 is the upper byte of an f16.
__m256 load_f8e5m2(const uint8_t* p) {
  return _mm256_cvtph_ps(_mm_slli_epi16(load_bytes(p), 8));
}
// The seven bits below the sign, at the same place of an f16, are the value times 2^-8.
__m256 load_f8e4m3(const uint8_t* p) {
  const __m128i wide = load_bytes(p), low = _mm_set1_epi16(0x7F);
  const __m128i magnitude = _mm_and_si128(wide, low), sign = _mm_slli_epi16(_mm_andnot_si128(low, wide), 8);
  const __m256 scaled = _mm256_cvtph_ps(_mm_or_si128(sign, _mm_slli_epi16(magnitude, 7)));
  const __m256i bits = _mm256_castps_si256(_mm256_mul_ps(scaled, _mm256_set1_ps(0x1p8f)));
  const __m256i negative = _mm256_and_si256(bits, _mm256_set1_epi32(INT32_MIN));
  const __m256i quiet = _mm256_or_si256(negative, _mm256_set1_epi32(0x7FC00000));
  const __m256i nan = _mm256_cvtepi16_epi32(_mm_cmpeq_epi16(magnitude, low));
  return _mm256_castsi256_ps(_mm256_blendv_epi8(bits, quiet, nan));
}
// Subnormals round in the addition of a number whose last place is that of the subnormals.
template <int kExponent, int kMantissa, bool kFinite>
void store_f8(uint8_t* p, __m256 v) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1, kShift = 23 - kMantissa;
  constexpr int kTop = ((1 << kExponent) - 1) << kMantissa;  // Inf where there is one
  constexpr int kMax = (kFinite ? 0x7F : kTop) - 1, kOver = kFinite ? 0x7F : kTop;
  const __m256i bits = _mm256_castps_si256(v);
  const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7FFFFFFF));
  const __m256i lsb = _mm256_and_si256(_mm256_srli_epi32(magnitude, kShift), _mm256_set1_epi32(1));
  const __m256i biased = _mm256_add_epi32(_mm256_add_epi32(magnitude, _mm256_set1_epi32((1 << (kShift - 1)) - 1)), lsb);
  __m256i code = _mm256_sub_epi32(_mm256_srli_epi32(biased, kShift), _mm256_set1_epi32((127 - kBias) << kMantissa));
  const __m256 last = _mm256_castsi256_ps(_mm256_set1_epi32((127 + 1 - kBias - kMantissa + 23) << 23));
  const __m256i small = _mm256_sub_epi32(_mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(magnitude), last)),
                                         _mm256_castps_si256(last));
  const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32((127 + 1 - kBias) << 23), magnitude);
  code = _mm256_blendv_epi8(code, small, below);
  code = _mm256_blendv_epi8(code, _mm256_set1_epi32(kOver), _mm256_cmpgt_epi32(code, _mm256_set1_epi32(kMax)));
  const __m256i payload = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi32(magnitude, kShift), _mm256_set1_epi32(3)),
                                          _mm256_set1_epi32(kTop | 2));
  const __m256i quiet = kFinite ? _mm256_set1_epi32(0x7F) : payload;
  code = _mm256_blendv_epi8(code, quiet, _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7F800000)));
  const __m256i sign = _mm256_andnot_si256(_mm256_set1_epi32(0x7F), _mm256_srli_epi32(bits, 24));
  const __m256i result = _mm256_or_si256(code, sign);
  const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(result), _mm256_extracti128_si256(result, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(words, words));
}
void store_tf32(float* p, __m256 v) {
  const __m256i bits = _mm256_castps_si256(v), exponent = _mm256_set1_epi32(0x7F800000);
  const __m256i lsb = _mm256_and_si256(_mm256_srli_epi32(bits, 13), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_and_si256(_mm256_add_epi32(bits, _mm256_add_epi32(lsb, _mm256_set1_epi32(0xFFF))),
                                           _mm256_set1_epi32(~0x1FFF));
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_and_si256(nan, _mm256_set1_epi32(0x400000)));
  const __m256i special = _mm256_cmpeq_epi32(_mm256_and_si256(bits, exponent), exponent);
  _mm256_storeu_ps(p, _mm256_castsi256_ps(_mm256_blendv_epi8(rounded, quiet, special)));
}

template <auto kLoad, auto kStore, class To, class From>
void loop(To* dst, const From* src, size_t count) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) kStore(dst + i, kLoad(src + i));
  if (i == count) return;
  From in[kLanes] = {};
  To out[kLanes];
  std::memcpy(in, src + i, (count - i) * sizeof(From));
  kStore(out, kLoad(in));
  std::memcpy(dst + i, out, (count - i) * sizeof(To));
}

}  // namespace

const ConvertKernels kConvertAvx2{loop<load_f16, store_f32>,     loop<load_f32, store_f16>,
                                  loop<load_bf16, store_f32>,    loop<load_f32, store_bf16>,
                                  loop<load_f16, store_bf16>,    loop<load_bf16, store_f16>,
                                  loop<load_f8e4m3, store_f32>,  loop<load_f32, store_f8<4, 3, true>>,
                                  loop<load_f8e5m2, store_f32>,  loop<load_f32, store_f8<5, 2, false>>,
                                  loop<load_f8e4m3, store_bf16>, loop<load_f8e5m2, store_bf16>,
                                  loop<load_f32, store_tf32>};

}  // namespace hw
#endif
