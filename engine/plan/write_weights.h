// Weights into the states of a program.
#pragma once

#include "engine/backend/backend.h"
#include "engine/plan/weights.h"

namespace hw {

/// Parameters that the given weights lack: they keep their initial values, or the weights are refused.
enum class Lacking : uint8_t { initial, refused };

/// HW-F005: weights lack a parameter of the graph.
Error missing_parameter(const std::string& name);
/// Writes the program's parameters that `weights` has: their views, and the masters behind them. All are checked before
/// the first is written. Returns the names of parameters that `weights` lacks; tensors of no parameter are ignored.
/// Error HW-F005: dtype or sizes are not the view's.
Result<std::vector<std::string>> write_weights(const Program& program, States& states, const Weights& weights);
/// write_weights, by which all that takes weights from outside refuses those that lack a parameter. Errors HW-F005:
/// those of write_weights; missing_parameter, of the first that is missing and may not be.
Status give_weights(const Program& program, States& states, const Weights& weights, Lacking lacking);

}  // namespace hw
