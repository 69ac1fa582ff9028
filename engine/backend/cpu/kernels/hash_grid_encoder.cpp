#include "engine/backend/cpu/kernels/hash_grid_encoder.h"

namespace hw::cpu {

HashGridEncoder::HashGridEncoder(const KernelContext& c)
    : grid_(c.attr<HashGridAttr>()),
      encode_level_(c.simd.hash_grid.encode_level),
      transpose_(c.simd.transpose),
      dtype_(c.out().dtype),
      format_(table_format(dtype_)) {}

void HashGridEncoder::encode(int64_t level, const float* const x[3], int64_t n, const std::byte* table, uint32_t* pairs,
                             int64_t stride, RoundingLosses* losses) const {
  const HashGridLevel& at_level = grid_.levels[static_cast<size_t>(level)];
  if (!losses || format_ == TableFormat::f32)
    return encode_level_(format_, grid_, at_level, x, n, table, pairs, stride, nullptr);
  alignas(64) float features[2 * kHashGroup];
  float numbers[2 * kHashGroup];
  for (int64_t at = 0; at < n; at += kHashGroup) {
    const int64_t points = std::min(kHashGroup, n - at);
    const float* const from[3] = {x[0] + at, x[1] + at, x[2] + at};
    encode_level_(format_, grid_, at_level, from, points, table, pairs + at, stride, features);
    for (int64_t i = 0; i < points; ++i)
      for (int64_t f = 0; f < 2; ++f) numbers[2 * i + f] = features[f * kHashGroup + i];
    count_losses(*losses, dtype_, pairs + at, DType::f32, numbers, 2 * points);
  }
}

}  // namespace hw::cpu
