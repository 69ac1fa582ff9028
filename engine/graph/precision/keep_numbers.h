// What a precision plan's dtypes do to the numbers that nodes' parameters say.
#pragma once

#include "engine/graph/precision/precision_plan.h"

namespace hw {

/// A number of `graph` that would become Inf is set to the nearest that is held, by an edit of `plan` and a note; every
/// other that is not held gets a note.
void keep_numbers(const Graph& graph, PrecisionPlan& plan);

}  // namespace hw
