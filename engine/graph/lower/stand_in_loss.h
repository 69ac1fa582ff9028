// A loss for a graph that has none, so that checks of training run on graphs of inference.
#pragma once

#include <optional>

#include "engine/graph/check/validate.h"
#include "engine/graph/lower/lower.h"

namespace hw {

/// The wires of floats that a flattened graph's own Outputs take, not its groups'; without any, what no node reads.
std::vector<SocketRef> float_results(const Graph& flat);

/// The graph with the mean square of each float that its Outputs take (without Outputs: of what no node reads), in f32,
/// added up, into a Train node of plain SGD. The nodes that are added begin with "stand_in". Of a flattened graph
/// without a Train node. Nothing: no float comes out of it.
std::optional<Graph> with_stand_in_loss(const Graph& flat);

/// Whether there is any kind of Train node that is not bypassed, however many.
bool has_trainer(const Graph& flat);

struct CheckableGraph {
  Graph graph;
  bool stands_in = false;  // the loss and the Train node were added
};
/// What checks of training run: the graph itself where it has a Train node, else with_stand_in_loss. Error HW-G006: it
/// has none, and no float comes out of it.
Result<CheckableGraph> checkable(const Graph& flat);

}  // namespace hw
