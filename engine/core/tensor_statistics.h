// What a tensor's values look like in their dtype: counts, moments, and a histogram of magnitudes, one bin an octave,
// which what draws it relies on.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/tensor.h"

namespace hw {

struct TensorStatistics {
  int64_t count = 0, zeros = 0, nans = 0, infs = 0;
  int64_t subnormal = 0;                             // smaller than the dtype's smallest normal, not zero
  int64_t saturated = 0;                             // at the dtype's largest finite magnitude
  double min = 0, max = 0, mean = 0, deviation = 0;  // of finite values
  int64_t finite() const { return count - nans - infs; }

  /// bins[i] counts finite, non-zero values with 2^(first + i) ≤ |x| < 2^(first + i + 1). Covers the data, and the
  /// dtype's own range where that is not too wide to read (narrow formats).
  int first = 0;
  std::vector<int64_t> bins;
};

/// One pass over the values, in f64. Any thread; about 1 ns to 3 ns a value.
TensorStatistics measure(const Tensor& tensor);

}  // namespace hw
