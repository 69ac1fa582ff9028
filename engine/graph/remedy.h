// The edits behind a remedy, those that concern the whole graph included.
#pragma once

#include "engine/graph/diagnostic.h"

namespace hw {

/// The edits that a remedy makes in this graph, one undo step.
Edits remedy_edits(const Graph& graph, const Remedy& remedy);

}  // namespace hw
