// f32, f16 and bf16 conversions for AVX2 and F16C: eight lanes, the tail through a small buffer.
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

const ConvertKernels kConvertAvx2{loop<load_f16, store_f32>,  loop<load_f32, store_f16>,  loop<load_bf16, store_f32>,
                                  loop<load_f32, store_bf16>, loop<load_f16, store_bf16>, loop<load_bf16, store_f16>};

}  // namespace hw
#endif
