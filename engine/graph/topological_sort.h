// Nodes of a graph, inputs before what depends on them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace hw {

/// Some nodes of a graph, each behind those of them that it depends on, chains in one piece. Nodes on a cycle, and what
/// depends on them, are left out.
std::vector<std::string> topological_sort(const Graph& graph, const std::set<std::string>& nodes);

}  // namespace hw
