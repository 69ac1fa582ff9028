// What a loss makes of the samples of one part of a step alone, where a step has several.
#pragma once

#include "engine/graph/check/diagnostic.h"
#include "engine/node/node_type.h"

namespace hw {

/// HW-P001, warnings at `accumulate` of the Train node where a step has several parts, micro-batches or ranks: nodes
/// that it depends on make of a part's samples what is not that of one batch (mixed_nodes), with the op that does it.
/// Nodes of one type that do it in the same op are one warning, at the first. Remedy of micro-batches: one batch a
/// step, as large. Of a flattened graph; empty where it cannot be trained. Any thread.
std::vector<Diagnostic> check_parts(const Graph& flat, Assets& assets, uint64_t ranks = 1);

}  // namespace hw
