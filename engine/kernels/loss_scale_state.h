// The elements of a loss scale's state, f64 [kBadCounts + n], and the rule by which it goes on from step to step. See
// LossScaleAttr. Compiled for GPUs too.
#pragma once

#include <cstdint>

#include "engine/kernels/body.h"
#include "engine/program/program.h"

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

/// After a step, whose bad counts are there: counts its update, and chooses the scale of the next.
HW_BODY void advance(double* state, int64_t size, const LossScaleAttr& rule) {
  const bool bad = is_bad_step(state, size);
  if (!bad) state[kUpdates] += 1;
  if (!rule.dynamic) return;
  if (bad) {
    const double less = state[kScale] * rule.backoff;
    state[kScale] = less > 1 ? less : 1.0;
    state[kClean] = 0;
    return;
  }
  state[kClean] += 1;
  if (state[kClean] < static_cast<double>(rule.interval)) return;
  state[kClean] = 0;
  const double more = state[kScale] * rule.growth;
  if (more <= 3.40282346638528859812e38) state[kScale] = more;  // the largest f32
}

}  // namespace hw::loss_scale_state
