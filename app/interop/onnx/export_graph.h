// A graph as a model of ONNX: what its outputs are made of.
#pragma once

#include "app/interop/onnx/model.h"
#include "engine/graph/lower.h"
#include "engine/plan/weights.h"

namespace hw::interop {

/// A symbolic axis of Inputs that the model has in the example's size.
struct FixedAxis {
  std::string axis, because;
};

struct ExportedModel : OnnxModel {
  std::vector<FixedAxis> fixed;
};

/// Of a flattened graph, in evaluation mode, as opset 17: Dropout does nothing, Inputs are inputs from top to bottom,
/// parameters initializers in their dtype. Symbolic axes stay so where no node is in the way. `outputs`: by the names
/// that they get. `weights` may be null: initial ones for seed 0. Error HW-R002 at a node that ONNX has no operators
/// for; HW-F005.
Result<ExportedModel> export_graph(const Graph& graph, const std::vector<std::pair<std::string, SocketRef>>& outputs,
                                   const Weights* weights, Assets& assets);

}  // namespace hw::interop
