// hash_grid by vector loops, one level of some points at a time.
#pragma once

#include "engine/backend/cpu/kernels/hash_grid_points.h"

namespace hw::cpu {

class HashGridEncoder {
 public:
  /// Where the device has vector loops, of a table that they know.
  explicit HashGridEncoder(const KernelContext& c);

  const HashGridAttr& grid() const { return grid_; }
  int64_t levels() const { return static_cast<int64_t>(grid_.levels.size()); }
  /// 32-bit words of one level and of all.
  int64_t pair_words() const { return words_a_pair(format_); }
  int64_t point_words() const { return levels() * pair_words(); }
  /// HashGridLoops::encode_level. Rounding losses are counted in `losses` where that is not null.
  void encode(int64_t level, const float* const x[3], int64_t n, const std::byte* table, uint32_t* pairs,
              int64_t stride, RoundingLosses* losses) const;
  /// What encode() made of n points, level by level, becomes n rows.
  void transpose(const uint32_t* pairs, int64_t stride, uint32_t* rows, int64_t n) const {
    transpose_(pairs, stride, point_words(), rows, n);
  }

 private:
  HashGridAttr grid_;
  decltype(HashGridLoops::encode_level) encode_level_;
  decltype(SimdTable::transpose) transpose_;
  DType dtype_;
  TableFormat format_;
};

/// The kernels of hash_grid: some points at a time, or level by level where those tile nothing.
std::unique_ptr<TileKernel> make_hash_grid_by_point(const KernelContext& c);
std::unique_ptr<WholeKernel> make_hash_grid_by_level(const KernelContext& c);

}  // namespace hw::cpu
