// Conversions among f32 and the narrow floats for AVX-512: sixteen lanes, the tail by mask.
#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/core/convert_kernels.h"

namespace hw {
namespace {

constexpr size_t kLanes = 16;

__m512 load_f16(const uint16_t* p, __mmask16 mask) {
  return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, p));
}
__m512 load_bf16(const uint16_t* p, __mmask16 mask) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, p)), 16));
}
__m512 load_f32(const float* p, __mmask16 mask) {
  return _mm512_maskz_loadu_ps(mask, p);
}
void store_f32(float* p, __mmask16 mask, __m512 v) {
  _mm512_mask_storeu_ps(p, mask, v);
}
void store_f16(uint16_t* p, __mmask16 mask, __m512 v) {
  _mm256_mask_storeu_epi16(p, mask, _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
// Integer arithmetic instead of vcvtneps2bf16, which flushes subnormals.
void store_bf16(uint16_t* p, __mmask16 mask, __m512 v) {
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i high = _mm512_srli_epi32(bits, 16);
  const __m512i lsb = _mm512_and_si512(high, _mm512_set1_epi32(1));
  __m512i result = _mm512_srli_epi32(_mm512_add_epi32(bits, _mm512_add_epi32(lsb, _mm512_set1_epi32(0x7FFF))), 16);
  result = _mm512_mask_or_epi32(result, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), high, _mm512_set1_epi32(0x40));
  _mm256_mask_storeu_epi16(p, mask, _mm512_cvtepi32_epi16(result));
}

// f8e5m2 is the upper byte of an f16.
__m512 load_f8e5m2(const uint8_t* p, __mmask16 mask) {
  const __m256i wide = _mm256_cvtepu8_epi16(_mm_maskz_loadu_epi8(mask, p));
  return _mm512_cvtph_ps(_mm256_slli_epi16(wide, 8));
}
// The seven bits below the sign, at the same place of an f16, are the value times 2^-8.
__m512 load_f8e4m3(const uint8_t* p, __mmask16 mask) {
  const __m256i wide = _mm256_cvtepu8_epi16(_mm_maskz_loadu_epi8(mask, p));
  const __m256i magnitude = _mm256_and_si256(wide, _mm256_set1_epi16(0x7F));
  const __m256i sign = _mm256_slli_epi16(_mm256_andnot_si256(_mm256_set1_epi16(0x7F), wide), 8);
  const __m512 scaled = _mm512_cvtph_ps(_mm256_or_si256(sign, _mm256_slli_epi16(magnitude, 7)));
  const __m512i bits = _mm512_castps_si512(_mm512_mul_ps(scaled, _mm512_set1_ps(0x1p8f)));
  const __mmask16 nan = _mm256_cmpeq_epi16_mask(magnitude, _mm256_set1_epi16(0x7F));
  const __m512i negative = _mm512_and_si512(bits, _mm512_set1_epi32(INT32_MIN));
  return _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, nan, negative, _mm512_set1_epi32(0x7FC00000)));
}
// Subnormals round in the addition of a number whose last place is that of the subnormals.
template <int kExponent, int kMantissa, bool kFinite>
void store_f8(uint8_t* p, __mmask16 mask, __m512 v) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1, kShift = 23 - kMantissa;
  constexpr int kTop = ((1 << kExponent) - 1) << kMantissa;  // Inf where there is one
  constexpr int kMax = (kFinite ? 0x7F : kTop) - 1, kOver = kFinite ? 0x7F : kTop;
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(0x7FFFFFFF));
  const __m512i lsb = _mm512_and_si512(_mm512_srli_epi32(magnitude, kShift), _mm512_set1_epi32(1));
  const __m512i biased = _mm512_add_epi32(_mm512_add_epi32(magnitude, _mm512_set1_epi32((1 << (kShift - 1)) - 1)), lsb);
  __m512i code = _mm512_sub_epi32(_mm512_srli_epi32(biased, kShift), _mm512_set1_epi32((127 - kBias) << kMantissa));
  const __m512 last = _mm512_castsi512_ps(_mm512_set1_epi32((127 + 1 - kBias - kMantissa + 23) << 23));
  const __m512i small = _mm512_sub_epi32(_mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(magnitude), last)),
                                         _mm512_castps_si512(last));
  const __mmask16 below = _mm512_cmplt_epi32_mask(magnitude, _mm512_set1_epi32((127 + 1 - kBias) << 23));
  code = _mm512_mask_mov_epi32(code, below, small);
  code = _mm512_mask_mov_epi32(code, _mm512_cmpgt_epi32_mask(code, _mm512_set1_epi32(kMax)), _mm512_set1_epi32(kOver));
  const __m512i payload = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi32(magnitude, kShift), _mm512_set1_epi32(3)),
                                          _mm512_set1_epi32(kTop | 2));
  const __m512i quiet = kFinite ? _mm512_set1_epi32(0x7F) : payload;
  code = _mm512_mask_mov_epi32(code, _mm512_cmpgt_epi32_mask(magnitude, _mm512_set1_epi32(0x7F800000)), quiet);
  const __m512i sign = _mm512_andnot_si512(_mm512_set1_epi32(0x7F), _mm512_srli_epi32(bits, 24));
  _mm_mask_storeu_epi8(p, mask, _mm512_cvtepi32_epi8(_mm512_or_si512(code, sign)));
}
void store_tf32(float* p, __mmask16 mask, __m512 v) {
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i lsb = _mm512_and_si512(_mm512_srli_epi32(bits, 13), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_and_si512(_mm512_add_epi32(bits, _mm512_add_epi32(lsb, _mm512_set1_epi32(0xFFF))),
                                           _mm512_set1_epi32(~0x1FFF));
  const __m512i exponent = _mm512_set1_epi32(0x7F800000);
  const __mmask16 special = _mm512_cmpeq_epi32_mask(_mm512_and_si512(bits, exponent), exponent);
  __m512i result = _mm512_mask_mov_epi32(rounded, special, bits);
  result = _mm512_mask_or_epi32(result, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), bits, _mm512_set1_epi32(0x400000));
  _mm512_mask_storeu_ps(p, mask, _mm512_castsi512_ps(result));
}

template <auto kLoad, auto kStore, class To, class From>
void loop(To* dst, const From* src, size_t count) {
  constexpr __mmask16 kAll = 0xFFFF;
  size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes)
    for (size_t j = 0; j < 4; ++j) kStore(dst + i + j * kLanes, kAll, kLoad(src + i + j * kLanes, kAll));
  for (; i < count; i += kLanes) {
    const size_t rest = count - i;
    const auto mask = rest >= kLanes ? kAll : static_cast<__mmask16>((1u << rest) - 1);
    kStore(dst + i, mask, kLoad(src + i, mask));
  }
}

}  // namespace

const ConvertKernels kConvertAvx512{loop<load_f16, store_f32>,     loop<load_f32, store_f16>,
                                    loop<load_bf16, store_f32>,    loop<load_f32, store_bf16>,
                                    loop<load_f16, store_bf16>,    loop<load_bf16, store_f16>,
                                    loop<load_f8e4m3, store_f32>,  loop<load_f32, store_f8<4, 3, true>>,
                                    loop<load_f8e5m2, store_f32>,  loop<load_f32, store_f8<5, 2, false>>,
                                    loop<load_f8e4m3, store_bf16>, loop<load_f8e5m2, store_bf16>,
                                    loop<load_f32, store_tf32>};

}  // namespace hw
#endif
