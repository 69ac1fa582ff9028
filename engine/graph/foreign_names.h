// Names of weights in files: those that nodes have in the tool that they come from.
#pragma once

#include "engine/core/tensor.h"
#include "engine/graph/graph.h"

namespace hw {

/// "node.weight" becomes "layer1.0.conv1.weight" where the node's Node::name is "layer1.0.conv1"; states of optimisers
/// alike. Of a flattened graph. Nodes that would have one name go by their ids.
std::map<std::string, Tensor> with_foreign_names(const Graph& flat, std::map<std::string, Tensor> weights);

/// The way back.
std::map<std::string, Tensor> with_node_ids(const Graph& flat, std::map<std::string, Tensor> weights);

}  // namespace hw
