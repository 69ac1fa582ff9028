// The loops of simd.h for the baseline instruction set, and the choice of a table at run time.
#include <cassert>

#include "engine/backend/cpu/simd/simd.h"
#include "engine/kernels/binary.h"
#include "engine/kernels/draw.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/hash_grid.h"
#include "engine/kernels/random.h"
#include "engine/kernels/unary.h"

namespace hw::cpu {
namespace scalar {
namespace {

#include "engine/backend/cpu/simd/simd_loops.inl"
#include "engine/backend/cpu/simd/simd_pixels.inl"
#include "engine/backend/cpu/simd/simd_random.inl"

template <int D>
void shares_of(const HashGridAttr& grid, const HashGridLevel& level, const float* const x[3], const float* g, int64_t n,
               uint32_t* entry, float* shares) {
  for (int64_t i = 0; i < n; ++i) {
    float point[D];
    for (int d = 0; d < D; ++d) point[d] = x[d][i];
    const auto cell = kernels::hash_cell<D, float>(point, level.scale, grid.smoothstep);
    for (int c = 0; c < 1 << D; ++c) {
      const int64_t at = c * kHashBlock + i;
      const float weight = kernels::hash_weight(cell, c);
      entry[at] = kernels::hash_entry(cell, c, level);
      for (int64_t f = 0; f < 2; ++f) shares[2 * at + f] = weight * g[2 * i + f];
    }
  }
}

void shares(const HashGridAttr& grid, const HashGridLevel& level, const float* const x[3], const float* g, int64_t n,
            uint32_t* entry, float* shares) {
  return grid.dims == 2 ? shares_of<2>(grid, level, x, g, n, entry, shares)
                        : shares_of<3>(grid, level, x, g, n, entry, shares);
}

}  // namespace
}  // namespace scalar

const SimdTable kSimdScalar = {Isa::scalar,
                               scalar::elementwise_loops<float>(),
                               scalar::elementwise_loops<double>(),
                               scalar::pool_loops<float>(),
                               scalar::pool_loops<double>(),
                               scalar::norm_loops<float>(),
                               scalar::norm_loops<double>(),
                               scalar::norm_loops<float, Bf16>(),
                               nullptr,
                               {nullptr, scalar::shares},
                               nullptr,
                               scalar::dropout<float>,
                               scalar::dropout<double>,
                               scalar::random<float>,
                               scalar::random<double>};

const SimdTable& simd_table(Isa isa) {
  assert(isa <= detected_isa());
#if defined(__x86_64__)
  if (isa == Isa::avx512) return kSimdAvx512;
  if (isa == Isa::avx2) return kSimdAvx2;
#endif
  return kSimdScalar;
}

}  // namespace hw::cpu
