// Summary of a network: what each node gives, trains and multiplies, as torchinfo and fvcore count them.
#pragma once

#include "engine/graph/lower/lower.h"
#include "engine/graph/lower/parameter_count.h"

namespace hw {

struct NodeSummary {
  std::string path;                                       // "stem/conv"
  std::string type;                                       // NodeType id
  std::vector<std::pair<std::string, WireType>> outputs;  // by socket
  ParameterCount parameters;                              // none of a tied node: its owner has them
  double multiply_adds = 0;
};

struct NetworkSummary {
  std::vector<NodeSummary> nodes;                    // of the flattened graph, inputs before what depends on them
  std::map<std::string, double> multiply_adds;       // by path: of the graph (""), of each instance of a group
  std::map<std::string, ParameterCount> parameters;  // likewise; see count_parameters
};

/// The summary of a flattened graph without errors. Multiply–adds are those of matrix products and convolutions, one a
/// pair of factors, of one evaluation with the batch that the graph has; biases, norms and activations are not counted,
/// as in published figures. Errors: those of lower().
Result<NetworkSummary> summarise(const Graph& flat, const Validator& validator, Assets& assets);

}  // namespace hw
