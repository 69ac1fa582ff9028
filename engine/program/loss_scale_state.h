// The elements of a loss scale's state, f64 [kBadCounts + n]. See LossScaleAttr. Compiled for GPUs too.
#pragma once

namespace hw::loss_scale_state {

inline constexpr int kScale = 0;      // what the loss is multiplied by
inline constexpr int kClean = 1;      // steps without Inf or NaN since the scale last changed
inline constexpr int kUpdates = 2;    // updates that happened
inline constexpr int kBadCounts = 3;  // from here: the Inf and NaN in each of n gradients of the step

}  // namespace hw::loss_scale_state
