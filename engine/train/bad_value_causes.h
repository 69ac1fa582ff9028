// What made a bad value bad where the op that made it is not at fault: found beside an f64 twin of the program.
#pragma once

#include "engine/backend/backend.h"
#include "engine/train/bad_value.h"
#include "engine/train/training_run.h"

namespace hw {

/// Runs the f64 twin of the run's program of gradients on the numbers that `executable` has just run on, and follows
/// from element `index` of `made`, which `instr` made, all that it is made of and that is apart from the twin's, to the
/// ops whose own inputs are not apart. Elements of ops whose access is not described are not followed. Errors: HW-R001,
/// before the twin takes memory, where it does not fit into what is free with copies of what is read of both; those of
/// widen_program and of the cpu device.
Result<std::vector<BadValue::Cause>> causes_of(const TrainingRun& run, const Instr& instr, ValueId made, int64_t index,
                                               const Executable& executable, const StepInputs& inputs);

}  // namespace hw
