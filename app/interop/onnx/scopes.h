// The modules that an operator lies in, as PyTorch's exporters write them down.
#pragma once

#include "app/interop/onnx/model.h"
#include "app/interop/onnx/proto.h"

namespace hw::interop {

/// From "pkg.torch.onnx.name_scopes" and "…class_hierarchy" among its metadata, else from a name such as
/// "/layer1/layer1.0/conv1/Conv". Without what is the operator's own; none where nothing is written.
std::vector<OnnxScope> scopes_of(const onnx::NodeProto& node);

/// Operators that an exporter has put in have no scopes written down, where others of the graph have: they lie where
/// what they read and what reads them lies in common. `written`: of the same operators, in their order.
void lend_scopes(const onnx::GraphProto& written, OnnxGraph& graph);

/// Names of the initializers that are parameters of the module, not its buffers: what PyTorch's exporter writes down.
/// None: it is not written.
std::optional<std::set<std::string>> parameters_of(const onnx::GraphProto& graph);

}  // namespace hw::interop
