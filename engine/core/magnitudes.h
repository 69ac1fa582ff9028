// The range of a tensor's magnitudes, and whether all of it is finite: exact, one pass over the stored bits. One
// element.
#pragma once

#include <algorithm>

#include "engine/core/tensor.h"

namespace hw {

struct Magnitudes {
  double smallest = 0, largest = 0;  // |x| of finite values that are not 0; 0: there are none
  int64_t infs = 0, nans = 0;
  int64_t first_bad = -1;  // flat index
  bool finite() const { return first_bad < 0; }
};

/// Of float elements; of others nothing is bad and the range is 0. Any thread.
Magnitudes magnitudes_of(DType dtype, const void* elements, int64_t count);
Magnitudes magnitudes_of(const Tensor& tensor);

/// The element at a flat index, of any dtype.
double element_of(const Tensor& tensor, int64_t index);

}  // namespace hw
