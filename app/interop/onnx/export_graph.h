// A graph as a model of ONNX: what its outputs are made of.
#pragma once

#include "app/interop/onnx/model.h"
#include "engine/graph/lower.h"
#include "engine/plan/weights.h"

namespace hw::interop {

/// Of a flattened graph, in evaluation mode, as opset 17: Dropout does nothing, Inputs are inputs from top to bottom
/// (symbolic axes stay so), parameters initializers in their dtype. `outputs`: by the names that they get. `weights`
/// may be null: initial ones for seed 0. Error HW-R002 at a node that ONNX has no operators for; HW-F005.
Result<OnnxModel> export_graph(const Graph& graph, const std::vector<std::pair<std::string, SocketRef>>& outputs,
                               const Weights* weights, Assets& assets);

}  // namespace hw::interop
