// flatten: a graph with groups as the graph that runs, without them.
#pragma once

#include "engine/graph/graph.h"

namespace hw {

/// The graph with the nodes of its group in place of each instance. Their ids are paths of ids, "stem/block_2/conv_1":
/// diagnostics, weights and random streams are named by them. The value of a promoted parameter comes from the
/// outermost instance that has one. A frozen instance, or one with a device, sets that for its nodes; a bypassed one
/// hands its first wired input of an output's kind through; one tied to another of the same group uses its parameters.
/// An instance whose group is not there stays, and is an error of validation. Frames, precision and unknown fields are
/// the document's; no group is left. Assumes check_groups().
Graph flatten(const Graph& graph);

/// The ids at and below a path of a flattened graph: the node itself, or those of an instance.
std::vector<std::string> nodes_at(const Graph& flat, const std::string& path);

}  // namespace hw
