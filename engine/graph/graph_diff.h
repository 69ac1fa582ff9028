// graph_diff: what differs between two states of a graph.
#pragma once

#include "engine/graph/graph.h"

namespace hw {

/// Nodes by id, in order. One of another type is both removed and added.
struct GraphDiff {
  std::vector<std::string> added, removed, changed;
  std::vector<Link> links;   // in one of the two
  bool computation = false;  // something else than where nodes lie, how they are shown, and frames
};

GraphDiff diff(const Graph& before, const Graph& after);

/// Equal but for where they lie, whether they are collapsed and whether they have a preview.
bool equal_but_looks(const Node& a, const Node& b);

}  // namespace hw
