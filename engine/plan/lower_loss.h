// The loss of a Train node as ops.
#pragma once

#include "engine/graph/lower/lower.h"

namespace hw {

struct LoweredLoss {
  LoweredGraph graph;
  Val loss;  // in its program
};

/// The first error of `trainer` and of what it depends on, so that a run never starts on a graph that the canvas shows
/// as wrong.
Status check_loss(const Graph& graph, const std::string& trainer);

/// What is wired into the loss of `trainer`, and all before it, in training mode, of a graph that check_loss takes.
/// Errors: what lowering reports.
Result<LoweredLoss> lower_loss(const Graph& graph, const std::string& trainer, LowerOptions options, Assets& assets);

}  // namespace hw
