// What is said of a node whose type, or group, does not exist.
#pragma once

#include "engine/graph/diagnostic.h"

namespace hw {

/// HW-G003, an error, with the names nearest to an unknown type. Remedies: outside groups, one of these types in its
/// place, with its wires; without the node.
Diagnostic unknown_type(const Graph& graph, const Node& node);

}  // namespace hw
