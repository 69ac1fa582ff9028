// Nodes of a graph, inputs before what depends on them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace hw {

/// Some nodes of a graph, none of them on a cycle: each behind those of them that it depends on, chains in one piece.
std::vector<std::string> topological_sort(const Graph& graph, const std::set<std::string>& nodes);

}  // namespace hw
