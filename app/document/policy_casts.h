// The casts that a graph's policy adds to a step.
#pragma once

#include "engine/graph/edit.h"
#include "engine/graph/precision/precision_plan.h"

namespace hw::app {

/// Whether the policy of the document's graph has casts to add to these edits of the shown graph.
bool asks_for_casts(const Graph& document, const Graph& shown, const Edits& edits);

/// Edits of a document's graph, and behind them those that its policy then asks for, with its notes. Edits that cannot
/// be applied are given back alone.
PrecisionPlan with_policy(const Graph& document, const Edits& edits);

}  // namespace hw::app
