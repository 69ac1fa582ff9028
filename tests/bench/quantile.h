// Quantiles of measured values.
#pragma once

#include <algorithm>
#include <vector>

namespace hw::bench {

/// The value below which this share of them lies, in [0, 1); the upper one of two in the middle. There are some.
inline double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size()))];
}

inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

}  // namespace hw::bench
