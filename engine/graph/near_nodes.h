// The error for a node id that the graph does not have, with the nearest ids.
#pragma once

#include "engine/core/result.h"
#include "engine/graph/graph.h"

namespace hw {

/// HW-G003 at `where`, such as "--node mlb". The remedy lists the nodes with the nearest names; of an instance of a
/// group those in it, since a flattened graph has these alone; where none is near, some of all.
Error no_such_node(const Graph& flat, std::string where, const std::string& node);

}  // namespace hw
