// f32, f16 and bf16 conversions for AVX-512: sixteen lanes, the tail by mask.
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

const ConvertKernels kConvertAvx512{loop<load_f16, store_f32>,  loop<load_f32, store_f16>,  loop<load_bf16, store_f32>,
                                    loop<load_f32, store_bf16>, loop<load_f16, store_bf16>, loop<load_bf16, store_f16>};

}  // namespace hw
#endif
