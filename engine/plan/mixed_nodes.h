// Which nodes make of a part's samples what is not that of the whole batch.
#pragma once

#include "engine/graph/graph.h"
#include "engine/node/node_type.h"

namespace hw {

/// `node` makes it in `op`. `number`, a node: its value is that of all samples, but `op` uses it with those of the
/// part, so that its gradient is not; empty: the value is not, either.
struct MixedNode {
  std::string node, number;
  Op op = Op::cast;
  bool operator==(const MixedNode&) const = default;
};

/// Those that the loss of `trainer`, a Train node of a flattened graph, depends on where a step is computed in `parts`,
/// each once, in the order of the forward pass. What is not known to be of each sample alone, or to be made one of all,
/// is among them. Errors: what keeps the graph from being trained. Lowers the graph; any thread.
Result<std::vector<MixedNode>> mixed_nodes(const Graph& flat, const std::string& trainer, uint64_t parts,
                                           Assets& assets);

}  // namespace hw
