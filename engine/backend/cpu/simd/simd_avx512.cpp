// The loops of simd.h for AVX-512 (F, BW, DQ, VL).
#include <immintrin.h>

#include "engine/backend/cpu/simd/simd.h"
#include "engine/kernels/binary.h"
#include "engine/kernels/draw.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/random.h"
#include "engine/kernels/unary.h"

namespace hw::cpu {
namespace avx512 {
namespace {

#include "engine/backend/cpu/simd/simd_loops.inl"
#include "engine/backend/cpu/simd/simd_pixels.inl"
#include "engine/backend/cpu/simd/simd_random.inl"

#define HW_VEC static inline __attribute__((always_inline))

struct V {
  using F = __m512;
  using I = __m512i;
  static constexpr int width = 16;
  HW_VEC F set1(float v) { return _mm512_set1_ps(v); }
  HW_VEC I set1_i(uint32_t v) { return _mm512_set1_epi32(static_cast<int>(v)); }
  HW_VEC F load(const float* p) { return _mm512_loadu_ps(p); }
  HW_VEC I load_i(const uint32_t* p) { return _mm512_loadu_si512(p); }
  HW_VEC void store(float* p, F v) { _mm512_storeu_ps(p, v); }
  HW_VEC void store_i(uint32_t* p, I v) { _mm512_storeu_si512(p, v); }
  HW_VEC F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  HW_VEC F mul(F a, F b) { return _mm512_mul_ps(a, b); }
  HW_VEC F sub(F a, F b) { return _mm512_sub_ps(a, b); }
  using M = __mmask16;
  HW_VEC F add(F a, F b) { return _mm512_add_ps(a, b); }
  HW_VEC F div(F a, F b) { return _mm512_div_ps(a, b); }
  HW_VEC F sqrt(F a) { return _mm512_sqrt_ps(a); }
  HW_VEC M not_zero(F a) { return _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_NEQ_UQ); }
  HW_VEC bool any(M mask) { return mask != 0; }
  HW_VEC M beyond(F a, F limit) { return _mm512_cmp_ps_mask(_mm512_abs_ps(a), limit, _CMP_NLE_UQ); }  // or NaN
  HW_VEC M either(M a, M b) { return static_cast<M>(a | b); }
  HW_VEC M both(M a, M b) { return static_cast<M>(a & b); }
  HW_VEC int count(M mask) { return __builtin_popcount(mask); }
  HW_VEC F select(M mask, F yes, F no) { return _mm512_mask_blend_ps(mask, no, yes); }
  HW_VEC void store_f16(uint16_t* p, F v) {
    constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(v, kNearest));
  }
  HW_VEC I load_u16(const uint16_t* p) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  HW_VEC void store_u16(uint16_t* p, I v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(v));
  }
  HW_VEC void store_bf16(uint16_t* p, F v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(_mm512_srli_epi32(round_bf16(v), 16)));
  }
  HW_VEC F floor(F a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
  HW_VEC I to_int(F a) { return _mm512_cvttps_epi32(a); }
  HW_VEC F as_float(I a) { return _mm512_castsi512_ps(a); }
  HW_VEC I as_int(F a) { return _mm512_castps_si512(a); }
  HW_VEC I add_i(I a, I b) { return _mm512_add_epi32(a, b); }
  HW_VEC I sub_i(I a, I b) { return _mm512_sub_epi32(a, b); }
  HW_VEC I mullo(I a, I b) { return _mm512_mullo_epi32(a, b); }
  HW_VEC I xor_i(I a, I b) { return _mm512_xor_si512(a, b); }
  HW_VEC I and_i(I a, I b) { return _mm512_and_si512(a, b); }
  HW_VEC I min_u(I a, I b) { return _mm512_min_epu32(a, b); }
  HW_VEC bool any_not_below(I a, I b) { return _mm512_cmpge_epu32_mask(a, b) != 0; }
  HW_VEC I gather(const uint32_t* base, I index) { return _mm512_i32gather_epi32(index, base, 4); }
  /// Pairs of floats, by their first and second halves.
  HW_VEC void gather_pairs(const float* base, I index, F& first, F& second) {
    first = _mm512_i32gather_ps(index, base, 8);
    second = _mm512_i32gather_ps(index, base + 1, 8);
  }
  /// Each number twice: those of the lower half, those of the upper half.
  HW_VEC void twice(F a, F& low, F& high) {
    const I lower = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    low = _mm512_permutexvar_ps(lower, a);
    high = _mm512_permutexvar_ps(add_i(lower, set1_i(8)), a);
  }
  HW_VEC F low_f16(I pair) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(pair)); }
  HW_VEC F high_f16(I pair) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(pair, 16))); }
  HW_VEC F low_bf16(I pair) { return as_float(_mm512_slli_epi32(pair, 16)); }
  HW_VEC F high_bf16(I pair) { return as_float(_mm512_and_si512(pair, set1_i(0xFFFF0000u))); }
  HW_VEC I pack_f16(F low, F high) {
    constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    const I a = _mm512_cvtepu16_epi32(_mm512_cvtps_ph(low, kNearest));
    const I b = _mm512_cvtepu16_epi32(_mm512_cvtps_ph(high, kNearest));
    return _mm512_or_si512(a, _mm512_slli_epi32(b, 16));
  }
  HW_VEC I round_bf16(F v) {  // the result in the upper half
    const I bits = as_int(v);
    const I lsb = and_i(_mm512_srli_epi32(bits, 16), set1_i(1));
    const I rounded = add_i(bits, add_i(lsb, set1_i(0x7FFF)));
    const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    return _mm512_mask_or_epi32(rounded, nan, bits, set1_i(0x00400000u));
  }
  HW_VEC I pack_bf16(F low, F high) {
    return _mm512_or_si512(_mm512_srli_epi32(round_bf16(low), 16), and_i(round_bf16(high), set1_i(0xFFFF0000u)));
  }
  // 16 × 16 words in registers.
  HW_VEC void transpose16(I (&r)[16]) {
    I t[16];
    for (int i = 0; i < 16; i += 2) {
      t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
      t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
      r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
      r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
      r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
      r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 16; i += 8)
      for (int j = 0; j < 4; ++j) {
        t[i + j] = _mm512_shuffle_i32x4(r[i + j], r[i + 4 + j], 0x88);
        t[i + 4 + j] = _mm512_shuffle_i32x4(r[i + j], r[i + 4 + j], 0xDD);
      }
    for (int j = 0; j < 8; ++j) {
      r[j] = _mm512_shuffle_i32x4(t[j], t[8 + j], 0x88);
      r[8 + j] = _mm512_shuffle_i32x4(t[j], t[8 + j], 0xDD);
    }
  }
};

void transpose(const uint32_t* in, int64_t stride, int64_t rows, uint32_t* out, int64_t columns) {
  for (int64_t r = 0; r < rows; r += V::width) {
    const int64_t some = rows - r < V::width ? rows - r : V::width;
    const auto mask = static_cast<__mmask16>((1u << some) - 1u);
    for (int64_t c = 0; c < columns; c += V::width) {
      V::I words[V::width];
      for (int64_t i = 0; i < V::width; ++i)
        words[i] = i < some ? V::load_i(in + (r + i) * stride + c) : _mm512_setzero_si512();
      V::transpose16(words);
      for (int64_t i = 0; i < V::width && c + i < columns; ++i)
        _mm512_mask_storeu_epi32(out + (c + i) * rows + r, mask, words[i]);
    }
  }
}

#include "engine/backend/cpu/simd/hash_grid_simd.inl"
#include "engine/backend/cpu/simd/touched_adam_simd.inl"

}  // namespace
}  // namespace avx512

const SimdTable kSimdAvx512 = {Isa::avx512,
                               avx512::elementwise_loops<float>(),
                               avx512::elementwise_loops<double>(),
                               avx512::pool_loops<float>(),
                               avx512::pool_loops<double>(),
                               avx512::norm_loops<float>(),
                               avx512::norm_loops<double>(),
                               avx512::norm_loops<float, Bf16>(),
                               avx512::transpose,
                               {avx512::encode_level, avx512::shares},
                               avx512::touched_adam,
                               avx512::dropout<float>,
                               avx512::dropout<double>,
                               avx512::random<float>,
                               avx512::random<double>};

}  // namespace hw::cpu
