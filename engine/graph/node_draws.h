// What a node of a graph draws its random numbers from.
#pragma once

#include "engine/graph/graph.h"
#include "engine/node/random_params.h"

namespace hw {

/// Nothing while the node is bypassed, or of a type that is not known.
RandomParams node_draws(const Node& node);

/// All nodes draw by the run's seed and at its steps, whatever they are fixed to: for samples that were never trained
/// on.
void clear_fixed_draws(Graph& graph);

}  // namespace hw
