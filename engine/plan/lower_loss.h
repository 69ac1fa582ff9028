// The loss of a Train node as ops.
#pragma once

#include "engine/graph/lower.h"

namespace hw {

struct LoweredLoss {
  LoweredGraph graph;
  Val loss;  // in its program
};

/// What is wired into the loss of `trainer`, and all before it, in training mode. Errors: the first of the cone, so
/// that a run never starts on a graph that the canvas shows as wrong; what lowering reports.
Result<LoweredLoss> lower_loss(const Graph& graph, const std::string& trainer, LowerOptions options, Assets& assets);

}  // namespace hw
