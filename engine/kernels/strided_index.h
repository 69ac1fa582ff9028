// StridedIndex: where element i of one tensor lies in another, by strides: broadcasting, slices, permutations.
#pragma once

#include <cstdint>

#include "engine/kernels/body.h"

namespace hw::kernels {

/// Axes that lie behind one another are one, so that this many are enough for every program that is likely.
inline constexpr int kMaxAxes = 8;

struct StridedIndex {
  int axes = 0;
  int64_t offset = 0;
  int64_t size[kMaxAxes] = {}, stride[kMaxAxes] = {};  // outermost first

  HW_BODY int64_t operator()(int64_t i) const {
    int64_t at = offset;
    for (int d = axes - 1; d > 0; --d) {
      at += i % size[d] * stride[d];
      i /= size[d];
    }
    return axes > 0 ? at + i * stride[0] : at;
  }
};

}  // namespace hw::kernels
