// Negotiation: mends dtype clashes with the least loss, by visible edits.
#pragma once

#include "engine/graph/precision/precision_plan.h"

namespace hw {

/// Where dtypes meet, the wider side wins: a node takes the smallest dtype that holds its own, its inputs and its
/// weights, so that nothing is narrowed where widening would do; weights stay stored as they are and are cast on use.
/// Among the choices that lose as little, one with few Casts is searched for: a group of nodes that only hand values on
/// may compute wider, so that one Cast serves several wires. What Casts that the user placed do, and what a node takes
/// or gives in one dtype alone, stays.
PrecisionPlan negotiate(const Graph& graph);

}  // namespace hw
