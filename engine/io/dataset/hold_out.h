// A validation split held out of the training samples.
#pragma once

#include "engine/core/dataset.h"

namespace hw {

/// Moves `share` of `data`'s training samples, at least one, to its validation split. Which ones is drawn at random,
/// from a seed that never changes, so that all runs and machines hold out the same ones. Nothing is read before one of
/// the two splits is; then both are. Error HW-A003: none would be left to train with.
Status hold_out(Dataset& data, double share);

}  // namespace hw
