// What a node is called in lists, where it must be distinguishable from others.
#pragma once

#include <QString>

#include "engine/graph/graph.h"

namespace hw::app {

/// The name of the node at this path of a flattened graph, after the path of its group: "encoder/MLP"; with its id
/// where another node beside it is called the same: "Conv2d (conv_2)". The path itself where there is no such node.
QString node_title(const Graph& flat, const std::string& path);

}  // namespace hw::app
