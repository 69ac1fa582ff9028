// Sizes of a tensor around one axis.
#pragma once

#include "engine/core/shape.h"

namespace hw::cpu {

/// Within one row: [outer, axis, inner]. Axis 0 has the rows for `outer`.
struct AxisSplit {
  int64_t outer_in_row = 1;  // axes between the rows and the axis
  int64_t length = 1;        // of the axis
  int64_t inner = 1;

  AxisSplit(const Dims& dims, int axis) : length(dims[static_cast<size_t>(axis)]) {
    for (int d = 1; d < axis; ++d) outer_in_row *= dims[static_cast<size_t>(d)];
    for (size_t d = static_cast<size_t>(axis) + 1; d < dims.size(); ++d) inner *= dims[d];
  }
  /// Elements of the axis and within.
  int64_t slice() const { return length * inner; }
};

}  // namespace hw::cpu
