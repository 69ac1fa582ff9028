// What the magnitudes of a tensor are, and whether all of it is finite: exact, of every element, from the stored bits.
// One element.
#pragma once

#include <algorithm>

#include "engine/core/tensor.h"

namespace hw {

struct Magnitudes {
  double smallest = 0, largest = 0;  // |x| of finite values that are not 0; 0: there are none
  int64_t zeros = 0;
  int64_t subnormal = 0;  // smaller than the dtype's smallest normal number, not 0
  int64_t saturated = 0;  // at the dtype's largest finite magnitude
  int64_t infs = 0, nans = 0;
  int64_t first_bad = -1;  // flat index
  bool finite() const { return first_bad < 0; }
};

/// The magnitudes of float elements; in others nothing is bad, nothing is counted and the range is 0. Any thread;
/// vectorised, at about the speed of memory.
Magnitudes magnitudes_of(DType dtype, const void* elements, int64_t count);
Magnitudes magnitudes_of(const Tensor& tensor);

/// The element at a flat index, of any dtype.
double element_of(const Tensor& tensor, int64_t index);

}  // namespace hw
