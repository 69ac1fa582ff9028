// A graph as a model of ONNX: what its outputs are made of.
#pragma once

#include "app/interop/onnx/local_functions.h"
#include "app/interop/onnx/model.h"
#include "app/interop/onnx/opset_dtypes.h"
#include "engine/graph/lower/lower.h"
#include "engine/plan/weights.h"

namespace hw::interop {

/// A symbolic axis of Inputs that the model has in the example's size.
struct FixedAxis {
  std::string axis, because;
};

struct ExportOptions {
  int64_t opset = kFirstWrittenOpset;  // to kLastOpset
  const Graph* document = nullptr;     // whose groups become local functions; null: none do
};

struct ExportedModel : OnnxModel {
  std::vector<FixedAxis> fixed;
  LocalFunctions groups;
};

using NamedOutputs = std::vector<std::pair<std::string, SocketRef>>;

/// All Output nodes of a document, not those of its groups, as sockets of its flattened graph: each by its name, or by
/// its id where another has the name. Those that nothing is wired to are left out.
NamedOutputs named_outputs(const Graph& document, const Graph& graph);

/// The model of a flattened graph in evaluation mode: Dropout does nothing, Inputs are inputs from top to bottom,
/// parameters initializers in their dtype. Symbolic axes stay so where no node is in the way. `outputs`: by the names
/// they get. `weights` may be null: initial ones for seed 0. Errors: HW-R002 at a node that the opset has no operators
/// for, with the opset that has as its remedy; HW-C001, no such opset is written; HW-F005.
Result<ExportedModel> export_graph(const Graph& graph, const NamedOutputs& outputs, const Weights* weights,
                                   Assets& assets, const ExportOptions& options = {});
/// Between the node's name and why, in the reason of such an error.
inline constexpr std::string_view kCannotBeExported = " cannot be exported: ";
/// What export_graph would end with, an error for each node in the way and not for the first alone; empty: for none.
std::vector<Error> export_refusals(const Graph& graph, const NamedOutputs& outputs, const Weights* weights,
                                   Assets& assets, const ExportOptions& options = {});

}  // namespace hw::interop
