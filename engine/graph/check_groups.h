// check_groups: whether the groups of a graph can be flattened.
#pragma once

#include "engine/graph/graph.h"

namespace hw {

/// How many nodes a graph may have when each instance of a group is replaced by the nodes of its definition.
inline constexpr int64_t kMostFlatNodes = 1 << 20;
/// How many groups may lie in one another.
inline constexpr int kMostGroupDepth = 64;

/// Error HW-G010: a group contains itself, they lie in one another deeper than kMostGroupDepth, or all instances
/// together have more than kMostFlatNodes nodes, each instance itself counted as one; `where` is the group or the node.
Status check_groups(const Graph& graph);

}  // namespace hw
