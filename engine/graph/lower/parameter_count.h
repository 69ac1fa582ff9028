// ParameterCount: how many parameters a graph, or a group in it, trains, and how large they are.
#pragma once

#include "engine/core/tensor.h"
#include "engine/graph/check/validate.h"

namespace hw {

struct ParameterCount {
  int64_t parameters = 0;  // elements of trainable parameters; running statistics are not among them
  int64_t bytes = 0;       // as they are stored, frozen ones and running statistics among them
  bool complete = true;    // false: there are nodes whose parameters cannot be known, because of an error upstream
  int64_t frozen = 0;      // elements of parameters that are not trained
  bool operator==(const ParameterCount&) const = default;
};

/// Whether a node's parameters are trained: it is neither frozen nor has a parameter `trainable` that is off. A node
/// without parameters counts as trained.
bool is_trained(const Node& node);

/// Whether any of its nodes is of a type that has parameters.
bool has_parameters(const Graph& flat);

/// The count of one node of a flattened graph. A tied node has none of its own.
ParameterCount count_parameters(const Graph& flat, const Node& node, const Validator& validator);

/// "527 trainable parameters and 64 frozen, 2.3 KiB"; "at least" where it is not complete.
std::string parameters_text(const ParameterCount& count);

/// The counts of a flattened graph, by path: of the graph ("") and of each instance of a group at any depth. Shared
/// parameters count once, where their owner is.
std::map<std::string, ParameterCount> count_parameters(const Graph& flat, const Validator& validator);

/// How many parameters ("node.weight") of a flattened graph these weights lack.
size_t count_without(const Graph& flat, const Validator& validator, const std::map<std::string, Tensor>& weights);

}  // namespace hw
