// Places for the nodes of a graph that has none.
#pragma once

#include "app/interop/onnx/import_graph.h"

namespace hw::interop {

/// In layers from left to right; cards are taken to be about as large as the canvas draws them.
void lay_out_nodes(Graph& graph);

/// The same of an imported model's outermost graph: its Inputs, and its Outputs, from top to bottom as the file has
/// them, which export_graph keeps.
void lay_out_model(ImportedModel& model);

}  // namespace hw::interop
