// Turns a Program into steps: segments, whose ops run together tile by tile of rows, and ops on whole tensors.
#pragma once

#include <vector>

#include "engine/backend/plan/step.h"
#include "engine/program/tiling.h"

namespace hw::cpu {

using plan::Step;

/// Whether any op writes a state.
bool writes_states(const Program& program);

/// By ValueId: states, constants and what is made of them alone, the same in every run until a state is written. Of a
/// program that writes states: none.
std::vector<bool> weight_values(const Program& program);

/// Steps in execution order, those of weight values first. Depends on the program alone: not on the thread count, nor
/// on what is kept.
std::vector<Step> schedule(const Program& program);

}  // namespace hw::cpu
