// What is said of a node whose type, or group, does not exist.
#pragma once

#include "engine/graph/diagnostic.h"

namespace hw {

/// "Loop" of a node of the type "onnx:Loop", which stands for an operator of that tool; none of others.
std::optional<std::string> foreign_operator(const Node& node);

/// HW-G003, an error, with the names nearest to an unknown type. Remedies: outside groups, one of these types in its
/// place, with its wires; without the node.
Diagnostic unknown_type(const Graph& graph, const Node& node);

}  // namespace hw
