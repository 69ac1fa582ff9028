// RoundingLosses: what the rounding to a narrower dtype took away, where a device stores what it has computed.
#pragma once

#include <cstdint>

#include "engine/core/dtype.h"

namespace hw {

/// Counts over elements whose number was seen as it was computed, before it was rounded to the dtype of its value.
struct RoundingLosses {
  int64_t rounded = 0;      // elements seen
  int64_t underflowed = 0;  // not 0 before, 0 after: smaller than half the smallest subnormal
  int64_t overflowed = 0;   // finite before, ±Inf or NaN after
  double seconds = 0;       // that counting took

  RoundingLosses& operator+=(const RoundingLosses& other);
  /// Adds `count` numbers of dtype `from` that were stored as `to`; nothing where that rounds nothing (`to` has
  /// every number of `from`) or makes whole numbers.
  void add(DType to, const void* stored, DType from, const void* numbers, int64_t count);
};

}  // namespace hw
