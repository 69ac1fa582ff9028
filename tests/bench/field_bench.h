// A field's training step beside its floors.
#pragma once

#include <memory>
#include <string>

#include "engine/core/result.h"
#include "engine/program/program.h"

namespace hw::bench {

/// Prints samples a second of `program` on the CPU, the floors of its parts and their ratio, all measured in turns so
/// that a busy machine slows both; with `per_op` also each instruction's milliseconds. `program`: one hash grid, with
/// its sampler of `points` points, an MLP 32-32-32-3, its adjoint and Adam. Errors: what the device reports; HW-G006
/// for a program that is no field.
Status print_field(const std::string& title, std::shared_ptr<const Program> program, int64_t points, ValueId loss,
                   int rounds, int steps, bool per_op);

}  // namespace hw::bench
