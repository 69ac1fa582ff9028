// The edits behind a remedy, those that concern the whole graph included. Which remedies there are: check_node.cpp,
// check_weights.cpp, diagnostic.cpp.
#pragma once

#include "engine/graph/check/diagnostic.h"
#include "engine/graph/precision/precision_plan.h"

namespace hw {

/// What a remedy makes in this graph, one undo step; notes where it takes the whole graph into account.
PrecisionPlan remedy_plan(const Graph& graph, const Remedy& remedy);
/// Its edits.
Edits remedy_edits(const Graph& graph, const Remedy& remedy);

}  // namespace hw
