// The loops of simd.h for the baseline instruction set, and the choice of a table at run time.
#include <cassert>

#include "engine/backend/cpu/simd.h"
#include "engine/kernels/binary.h"
#include "engine/kernels/draw.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/hash_grid.h"
#include "engine/kernels/random.h"
#include "engine/kernels/unary.h"

namespace hw::cpu {
namespace scalar {
namespace {

#include "engine/backend/cpu/simd_loops.inl"
#include "engine/backend/cpu/simd_pixels.inl"
#include "engine/backend/cpu/simd_random.inl"

template <int D>
void corners_of(const HashGridAttr& grid, const HashGridLevel& level, const float* const x[3], int64_t n,
                uint32_t* entry, float* weight) {
  for (int64_t i = 0; i < n; ++i) {
    float point[D];
    for (int d = 0; d < D; ++d) point[d] = x[d][i];
    const auto cell = kernels::hash_cell<D, float>(point, level.scale, grid.smoothstep);
    for (int c = 0; c < 1 << D; ++c) {
      entry[c * kHashBlock + i] = kernels::hash_entry(cell, c, level);
      weight[c * kHashBlock + i] = kernels::hash_weight(cell, c);
    }
  }
}

void corners(const HashGridAttr& grid, const HashGridLevel& level, const float* const x[3], int64_t n, uint32_t* entry,
             float* weight) {
  return grid.dims == 2 ? corners_of<2>(grid, level, x, n, entry, weight)
                        : corners_of<3>(grid, level, x, n, entry, weight);
}

}  // namespace
}  // namespace scalar

const SimdTable kSimdScalar = {Isa::scalar,
                               scalar::elementwise_loops<float>(),
                               scalar::elementwise_loops<double>(),
                               scalar::channel_loops<float>(),
                               scalar::channel_loops<double>(),
                               {nullptr, nullptr, scalar::corners},
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
