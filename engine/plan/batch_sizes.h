// How many samples the sources of a graph draw a step.
#pragma once

#include "engine/graph/graph.h"
#include "engine/node/node_type.h"

namespace hw {

/// A parameter that was declared with batch().
struct BatchSize {
  std::string node;
  const ParamDecl* param = nullptr;
  int64_t samples = 0;
};

/// The batch sizes of the nodes that `node` depends on, by node.
std::vector<BatchSize> batch_sizes(const Graph& graph, const std::string& node);

}  // namespace hw
