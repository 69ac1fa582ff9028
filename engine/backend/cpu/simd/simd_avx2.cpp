// The loops of simd.h for AVX2 with FMA and F16C.
#include <immintrin.h>

#include "engine/backend/cpu/simd/simd.h"
#include "engine/kernels/binary.h"
#include "engine/kernels/draw.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/random.h"
#include "engine/kernels/unary.h"

namespace hw::cpu {
namespace avx2 {
namespace {

#include "engine/backend/cpu/simd/simd_loops.inl"
#include "engine/backend/cpu/simd/simd_pixels.inl"
#include "engine/backend/cpu/simd/simd_random.inl"

#define HW_VEC static inline __attribute__((always_inline))

struct V {
  using F = __m256;
  using I = __m256i;
  static constexpr int width = 8;
  HW_VEC F set1(float v) { return _mm256_set1_ps(v); }
  HW_VEC I set1_i(uint32_t v) { return _mm256_set1_epi32(static_cast<int>(v)); }
  HW_VEC F load(const float* p) { return _mm256_loadu_ps(p); }
  HW_VEC I load_i(const uint32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  HW_VEC void store(float* p, F v) { _mm256_storeu_ps(p, v); }
  HW_VEC void store_i(uint32_t* p, I v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  HW_VEC F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  HW_VEC F mul(F a, F b) { return _mm256_mul_ps(a, b); }
  HW_VEC F sub(F a, F b) { return _mm256_sub_ps(a, b); }
  using M = __m256;
  HW_VEC F add(F a, F b) { return _mm256_add_ps(a, b); }
  HW_VEC F div(F a, F b) { return _mm256_div_ps(a, b); }
  HW_VEC F sqrt(F a) { return _mm256_sqrt_ps(a); }
  HW_VEC M not_zero(F a) { return _mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_NEQ_UQ); }
  HW_VEC bool any(M mask) { return _mm256_movemask_ps(mask) != 0; }
  HW_VEC M beyond(F a, F limit) {  // or NaN
    return _mm256_cmp_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a), limit, _CMP_NLE_UQ);
  }
  HW_VEC M either(M a, M b) { return _mm256_or_ps(a, b); }
  HW_VEC M both(M a, M b) { return _mm256_and_ps(a, b); }
  HW_VEC int count(M mask) { return __builtin_popcount(static_cast<unsigned>(_mm256_movemask_ps(mask))); }
  HW_VEC F select(M mask, F yes, F no) { return _mm256_blendv_ps(no, yes, mask); }
  HW_VEC void store_f16(uint16_t* p, F v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
  }
  HW_VEC I load_u16(const uint16_t* p) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  HW_VEC void store_u16(uint16_t* p, I v) {
    const I packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(v, v), 0x08);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(packed));
  }
  HW_VEC void store_bf16(uint16_t* p, F v) { store_u16(p, _mm256_srli_epi32(round_bf16(v), 16)); }
  HW_VEC F floor(F a) { return _mm256_floor_ps(a); }
  HW_VEC I to_int(F a) { return _mm256_cvttps_epi32(a); }
  HW_VEC F as_float(I a) { return _mm256_castsi256_ps(a); }
  HW_VEC I as_int(F a) { return _mm256_castps_si256(a); }
  HW_VEC I add_i(I a, I b) { return _mm256_add_epi32(a, b); }
  HW_VEC I sub_i(I a, I b) { return _mm256_sub_epi32(a, b); }
  HW_VEC I mullo(I a, I b) { return _mm256_mullo_epi32(a, b); }
  HW_VEC I xor_i(I a, I b) { return _mm256_xor_si256(a, b); }
  HW_VEC I and_i(I a, I b) { return _mm256_and_si256(a, b); }
  HW_VEC I min_u(I a, I b) { return _mm256_min_epu32(a, b); }
  HW_VEC bool any_not_below(I a, I b) {
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a)) != 0;
  }
  HW_VEC I gather(const uint32_t* base, I index) {
    return _mm256_i32gather_epi32(reinterpret_cast<const int*>(base), index, 4);
  }
  /// Each number twice: those of the lower half, those of the upper half.
  HW_VEC void twice(F a, F& low, F& high) {
    const F even = _mm256_unpacklo_ps(a, a), odd = _mm256_unpackhi_ps(a, a);  // by lanes of four
    low = _mm256_permute2f128_ps(even, odd, 0x20);
    high = _mm256_permute2f128_ps(even, odd, 0x31);
  }
  /// Pairs of floats, by their first and second halves. Eight loads of pairs: much faster than two gathers on Zen.
  HW_VEC void gather_pairs(const float* base, I index, F& first, F& second) {
    alignas(32) uint32_t at[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(at), index);
    const auto two = [&](int a, int b) __attribute__((always_inline)) {
      const __m128 low = _mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double*>(base + 2 * at[a])));
      return _mm_loadh_pi(low, reinterpret_cast<const __m64*>(base + 2 * at[b]));
    };
    const F x = _mm256_set_m128(two(4, 5), two(0, 1)), y = _mm256_set_m128(two(6, 7), two(2, 3));
    first = _mm256_shuffle_ps(x, y, _MM_SHUFFLE(2, 0, 2, 0));
    second = _mm256_shuffle_ps(x, y, _MM_SHUFFLE(3, 1, 3, 1));
  }
  HW_VEC F low_f16(I pair) { return halves(and_i(pair, set1_i(0xFFFFu))); }
  HW_VEC F high_f16(I pair) { return halves(_mm256_srli_epi32(pair, 16)); }
  HW_VEC F halves(I words) {
    const I packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(words, words), 0x08);
    return _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
  }
  HW_VEC F low_bf16(I pair) { return as_float(_mm256_slli_epi32(pair, 16)); }
  HW_VEC F high_bf16(I pair) { return as_float(and_i(pair, set1_i(0xFFFF0000u))); }
  HW_VEC I pack_f16(F low, F high) {
    const I a = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(low, _MM_FROUND_TO_NEAREST_INT));
    const I b = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(high, _MM_FROUND_TO_NEAREST_INT));
    return _mm256_or_si256(a, _mm256_slli_epi32(b, 16));
  }
  HW_VEC I round_bf16(F v) {  // the result in the upper half
    const I bits = as_int(v);
    const I lsb = and_i(_mm256_srli_epi32(bits, 16), set1_i(1));
    const I rounded = add_i(bits, add_i(lsb, set1_i(0x7FFF)));
    const I quiet = _mm256_or_si256(bits, set1_i(0x00400000u));
    return as_int(_mm256_blendv_ps(as_float(rounded), as_float(quiet), _mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
  }
  HW_VEC I pack_bf16(F low, F high) {
    return _mm256_or_si256(_mm256_srli_epi32(round_bf16(low), 16), and_i(round_bf16(high), set1_i(0xFFFF0000u)));
  }
};

void transpose(const uint32_t* in, int64_t stride, int64_t rows, uint32_t* out, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r) out[c * rows + r] = in[r * stride + c];
}

#include "engine/backend/cpu/simd/hash_grid_simd.inl"
#include "engine/backend/cpu/simd/touched_adam_simd.inl"

}  // namespace
}  // namespace avx2

const SimdTable kSimdAvx2 = {Isa::avx2,
                             avx2::elementwise_loops<float>(),
                             avx2::elementwise_loops<double>(),
                             avx2::pool_loops<float>(),
                             avx2::pool_loops<double>(),
                             avx2::norm_loops<float>(),
                             avx2::norm_loops<double>(),
                             avx2::norm_loops<float, Bf16>(),
                             avx2::transpose,
                             {avx2::encode_level, avx2::shares},
                             avx2::touched_adam,
                             avx2::dropout<float>,
                             avx2::dropout<double>,
                             avx2::random<float>,
                             avx2::random<double>};

}  // namespace hw::cpu
