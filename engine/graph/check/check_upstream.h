// Whether one wire depends on another: what a derivative of one by the other needs.
#pragma once

#include <string>
#include <unordered_set>

#include "engine/graph/graph.h"

namespace hw {

/// The nodes that `node` depends on, and itself. Of a bypassed node's wires, those that it hands through.
std::unordered_set<std::string> upstream_nodes(const Graph& graph, const std::string& node);

/// Whether the output that `wire` leaves is the one that `on` leaves, or made of it. Bypassed nodes and the sockets of
/// groups, which hand on what they are given, are no outputs of their own.
bool depends_on(const Graph& graph, const Link& wire, const Link& on);

}  // namespace hw
