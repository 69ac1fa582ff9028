// What LSTM and GRU share: parameters, sockets, shape rules, and the walk along the steps.
#pragma once

#include <functional>

#include "engine/node/shapes.h"

namespace hw::recurrent {

inline constexpr int64_t kMostSteps = 1024;

/// Parameters, weights, input `x` and output `y` of a node with `gates` gates. `states`: names of the state's parts,
/// each an optional input "initial_NAME" and an output "NAME".
void declare(NodeDecl& d, int gates, const std::vector<std::string>& states);
/// HW-S001, HW-S002 at the socket at fault.
Result<Shapes> shape(const ShapeArgs& a, const std::vector<std::string>& states);

/// One step in one direction: what the input gives to the gates [N, gates · H] and the state's parts [N, H] → the new
/// parts, the first of which is the output. `hidden_gates`: weight_hh · h, with its bias, [N, gates · H].
using Step =
    std::function<std::vector<Val>(OpBuilder&, Val input_gates, Val hidden_gates, const std::vector<Val>& state)>;
Lowered lower(OpBuilder& b, const LowerArgs& a, int gates, const std::vector<std::string>& states, const Step& step);

/// Part k of `count` equal ones of the last axis of [N, count · H].
Val gate(OpBuilder& b, Val gates, int64_t count, int64_t k);

Examples examples();

}  // namespace hw::recurrent
