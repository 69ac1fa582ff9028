// What a loss makes of the samples of one micro-batch alone, where a step has several.
#pragma once

#include "engine/graph/diagnostic.h"
#include "engine/graph/graph.h"

namespace hw {

/// HW-P001, warnings at `accumulate` of a Train node that has more than one micro-batch a step: nodes that it depends
/// on take the largest, the smallest, a product or a log-sum-exp of all samples, which is no mean or sum over
/// micro-batches: each has its own. Remedy: one batch a step. Of a flattened graph.
std::vector<Diagnostic> check_parts(const Graph& flat);

}  // namespace hw
