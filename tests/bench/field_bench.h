// A field's training step beside its floors.
#pragma once

#include <string>

#include "engine/plan/training_plan.h"

namespace hw::bench {

/// Prints samples a second of `plan`'s steps on the CPU, the floors of their parts and their ratio, all measured in
/// turns so that a busy machine slows both; with `per_op` also the milliseconds of each instruction of its first
/// program. `plan`: one hash grid, with its sampler of `batch` points, an MLP 32-32-32-3, its adjoint and Adam. Errors:
/// what the device reports; HW-G006 for a program that is no field.
Status print_field(const std::string& title, const TrainingPlan& plan, int rounds, int steps, bool per_op);

}  // namespace hw::bench
