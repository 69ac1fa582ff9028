// Diagnostics of a graph that lacks operators of another tool: one for each operator, however many nodes stand for it.
#pragma once

#include "engine/graph/check/diagnostic.h"

namespace hw {

/// Diagnostics of a flattened graph, with fewer HW-G003 of nodes that stand for another tool's operators: one for all
/// nodes of the same operator and reason, at the first of them, and behind these one for all nodes that only wait for
/// what others make. Each says how many nodes there are. All other diagnostics stay as they are, in their order.
std::vector<Diagnostic> merge_missing_operators(const Graph& flat, std::vector<Diagnostic> all);

}  // namespace hw
