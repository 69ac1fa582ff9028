// Turns a Program into steps: segments, whose ops run together tile by tile of rows, and ops on whole tensors.
#pragma once

#include <vector>

#include "engine/backend/plan/step.h"
#include "engine/program/tiling.h"

namespace hw::cpu {

using plan::Step;

/// Steps in execution order. Depends on the program alone: not on the thread count, nor on what is kept.
std::vector<Step> schedule(const Program& program);

}  // namespace hw::cpu
