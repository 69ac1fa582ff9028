// What is probably not meant in a whole graph that is valid.
#pragma once

#include "engine/graph/check/diagnostic.h"
#include "engine/node/node_type.h"

namespace hw {

/// All hints and warnings that take a whole graph to find, for the list of problems: structure_hints, check_parts. Of a
/// flattened graph. Any thread where `assets` may be used.
std::vector<Diagnostic> graph_hints(const Graph& flat, Assets& assets);

}  // namespace hw
