// What the vector loops of the hash grid work on: positions of a run of points as three arrays, padded, and the formats
// of tables.
#pragma once

#include <algorithm>

#include "engine/backend/cpu/kernels/kernel.h"

namespace hw::cpu {

struct PointArrays {
  float* x[3];  // of a point in the plane, the third is unused

  static int64_t padded_points(int64_t points) { return (points + kHashGroup - 1) / kHashGroup * kHashGroup; }
  static size_t bytes(int64_t points) { return static_cast<size_t>(padded_points(points)) * 3 * sizeof(float); }

  /// Lays the arrays out in `memory` of bytes(capacity).
  PointArrays(std::byte* memory, int64_t capacity) {
    for (int64_t d = 0; d < 3; ++d) x[d] = reinterpret_cast<float*>(memory) + d * padded_points(capacity);
  }
  /// From rows [n, dims]; the padding behind them becomes 0.
  void fill(const float* rows, int64_t n, int64_t dims) const {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t d = 0; d < dims; ++d) x[d][i] = rows[dims * i + d];
    for (int64_t d = 0; d < dims; ++d) std::fill(x[d] + n, x[d] + padded_points(n), 0.0f);
  }
};

/// The format of a table that the vector loops know.
inline TableFormat table_format(DType d) {
  return d == DType::f16 ? TableFormat::f16 : d == DType::bf16 ? TableFormat::bf16 : TableFormat::f32;
}

}  // namespace hw::cpu
