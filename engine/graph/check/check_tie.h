// Weight tying: whether a node can use the parameters of another.
#pragma once

#include <functional>

#include "engine/graph/check/diagnostic.h"

namespace hw {

using InputTypes = std::map<std::string, WireType, std::less<>>;  // by input socket

/// The parameters of a node on its own with these inputs, by their names in the node. Nothing when they cannot be
/// known: an input is missing or no tensor, or the node refuses them.
std::optional<std::map<std::string, Value>> parameters_of(const Node& node, const InputTypes& inputs);

/// Null: `node` is not tied, or its tie fits: the owner exists, is of the same type, is not tied itself, and their
/// parameters have the same names, dtypes and sizes. Else a diagnostic HW-G009 with remedies. `inputs` gives the types
/// of a node's wired inputs.
std::optional<Diagnostic> check_tie(const Graph& graph, const Node& node,
                                    const std::function<InputTypes(const Node&)>& inputs);

/// Ids of nodes that `node` could be tied to, apart from sizes: of its type, with weights, not tied themselves.
std::vector<std::string> tie_candidates(const Graph& graph, const Node& node);

}  // namespace hw
