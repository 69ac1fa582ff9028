// Weights into the states of a program.
#pragma once

#include "engine/backend/backend.h"
#include "engine/plan/weights.h"

namespace hw {

/// HW-F005: weights lack a parameter of the graph.
Error missing_parameter(const std::string& name);
/// Writes the program's parameters that `weights` has: their views, and the masters behind them. All are checked before
/// the first is written. Returns the names of parameters that `weights` lacks; tensors of no parameter are ignored.
/// Error HW-F005: dtype or sizes are not the view's.
Result<std::vector<std::string>> write_weights(const Program& program, States& states, const Weights& weights);

}  // namespace hw
