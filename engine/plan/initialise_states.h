// The states of a training before its first step, for checks that run its programs themselves.
#pragma once

#include "engine/backend/backend.h"
#include "engine/plan/training_plan.h"
#include "engine/plan/weights.h"

namespace hw {

/// Writes the given weights (null: what the seed gave stays), and what averages and the loss scale begin with. Errors
/// HW-F005: a parameter has no weights, unless they may be `partial`, or others than its own dtype and sizes.
Status initialise_states(const TrainingPlan& plan, States& states, const Weights* weights, bool partial);

}  // namespace hw
