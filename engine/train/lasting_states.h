// The states of a training that last from step to step: those that a checkpoint keeps.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/plan/training_plan.h"
#include "engine/train/checkpoint.h"

namespace hw {

/// The lasting states of all programs, by name. Values are those of the plan.
std::map<std::string, const Value*> lasting_states(const TrainingPlan& plan);
/// Copies.
std::map<std::string, Tensor> read_lasting_states(const TrainingPlan& plan, const States& states);
/// HW-R003 where a state that no update judges holds NaN or Inf: running statistics, frozen parameters. For the rest
/// see StepOutcome.
Status check_statistics(const TrainingPlan& plan, const States& states);
/// All or nothing, but for a device that fails while it writes. Returns the updates before the moments of a parameter
/// began; of others 0. Errors HW-F005: a state is missing, left over, or of another dtype or size; another seed.
/// Moments that are missing begin at 0 and those of another optimiser are left out, with a note. Updates of elements
/// may be missing, as in older checkpoints: see initialise_update_counts. `notes` may be null.
Result<std::map<std::string, uint64_t>> restore_states(const TrainingPlan& plan, States& states,
                                                       const Checkpoint& checkpoint, std::vector<std::string>* notes);

}  // namespace hw
