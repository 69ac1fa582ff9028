// One node as a model of ONNX.
#pragma once

#include "app/interop/onnx/export_graph.h"
#include "engine/io/assets.h"
#include "tests/engine/graph_builder.h"

namespace hw::test {

/// y of this node alone, on Inputs for its sockets.
inline Result<interop::ExportedModel> exported(const Node& tried,
                                               const std::map<std::string, std::pair<DType, Dims>>& inputs,
                                               const interop::ExportOptions& options = {}) {
  Edits edits{AddNode{tried}};
  for (const auto& [socket, input] : inputs) {
    const std::vector<double> shape(input.second.begin(), input.second.end());
    edits.push_back(AddNode{node(socket, "input",
                                 {{"shape", shape},
                                  {"axes", std::string()},
                                  {"symbolic", std::string()},
                                  {"dtype", std::string(name(input.first))}})});
    edits.push_back(AddLink{link(socket + ".y", tried.id + "." + socket)});
  }
  FileAssets assets("");
  return interop::export_graph(built(edits), {{"result", {tried.id, "y"}}}, nullptr, assets, options);
}

inline std::vector<std::string> operators_of(const interop::OnnxModel& model) {
  std::vector<std::string> all;
  for (const interop::OnnxNode& n : model.graph.nodes) all.push_back(n.op);
  return all;
}

}  // namespace hw::test
