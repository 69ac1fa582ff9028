// Whether weights are those of a program.
#pragma once

#include "engine/plan/weights.h"
#include "engine/program/program.h"

namespace hw {

/// Names of the program's parameters that `weights` lacks; tensors of no parameter are ignored. Error HW-F005: dtype or
/// sizes of one are not the view's.
Result<std::vector<std::string>> missing_parameters(const Program& program, const Weights& weights);

}  // namespace hw
