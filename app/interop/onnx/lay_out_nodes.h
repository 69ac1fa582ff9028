// Places for the nodes of a graph that has none.
#pragma once

#include "engine/graph/graph.h"

namespace hw::interop {

/// In layers from left to right; cards are taken to be about as large as the canvas draws them.
void lay_out_nodes(Graph& graph);

}  // namespace hw::interop
