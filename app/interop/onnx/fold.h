// Values that do not depend on what the graph is given are computed while it is imported.
#pragma once

#include "engine/graph/lower.h"
#include "engine/plan/weights.h"

namespace hw::interop {

/// The value of a wire whose cone has no Input, on the ref device.
Result<Tensor> folded(const Graph& graph, const SocketRef& wire, const Weights& weights);

}  // namespace hw::interop
