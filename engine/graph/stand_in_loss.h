// A loss for a graph that has none, so that checks of training run on graphs of inference.
#pragma once

#include <optional>

#include "engine/graph/validate.h"

namespace hw {

/// The graph with the mean square of each float that its Outputs take (without Outputs: of what no node reads), in f32,
/// added up, into a Train node of plain SGD. The nodes that are added begin with "stand_in". Of a flattened graph
/// without a Train node. Nothing: no float comes out of it.
std::optional<Graph> with_stand_in_loss(const Graph& flat);

}  // namespace hw
