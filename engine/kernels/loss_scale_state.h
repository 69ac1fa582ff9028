// The elements of a loss scale's state, f64 [kBadCounts + n]. See LossScaleAttr. Compiled for GPUs too.
#pragma once

#include <cstdint>

#include "engine/kernels/body.h"

namespace hw::loss_scale_state {

inline constexpr int kScale = 0;      // what the loss is multiplied by
inline constexpr int kClean = 1;      // steps without Inf or NaN since the scale last changed
inline constexpr int kUpdates = 2;    // updates that happened
inline constexpr int kBadCounts = 3;  // from here: the Inf and NaN in each of n gradients of the step

/// Whether a gradient of the step had any.
HW_BODY bool is_bad_step(const double* state, int64_t size) {
  bool bad = false;
  for (int64_t i = kBadCounts; i < size; ++i) bad = bad || state[i] > 0;
  return bad;
}

}  // namespace hw::loss_scale_state
