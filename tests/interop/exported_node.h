// One node as a model of ONNX.
#pragma once

#include <gtest/gtest.h>

#include "app/interop/onnx/export_graph.h"
#include "engine/devices/devices.h"
#include "engine/io/asset/assets.h"
#include "engine/plan/write_weights.h"
#include "tests/engine/graph_builder.h"

namespace hw::test {

/// This node alone, on Inputs for its sockets.
inline Graph alone(const Node& tried, const std::map<std::string, std::pair<DType, Dims>>& inputs) {
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
  return built(edits);
}

/// Its output y as a model.
inline Result<interop::ExportedModel> exported(const Node& tried,
                                               const std::map<std::string, std::pair<DType, Dims>>& inputs,
                                               const interop::ExportOptions& options = {}) {
  FileAssets assets("");
  return interop::export_graph(alone(tried, inputs), {{"result", {tried.id, "y"}}}, nullptr, assets, options);
}

/// A wire of a graph on the ref device, with what Inputs are bound to. `weights` null: initial ones.
inline std::vector<double> on_ref(const Graph& graph, const SocketRef& wanted, const LowerOptions& options,
                                  const Weights* weights) {
  FileAssets assets("");
  const auto lowered = lower(graph, std::span(&wanted, 1), options, assets);
  EXPECT_TRUE(lowered) << lowered.error().text();
  if (!lowered) return {};
  const ValueId value = std::get<Val>(lowered->sockets.at(wanted)).id;
  lowered->program->outputs.push_back({"y", value});
  const auto device = *make_device("ref");
  const auto states = *device->prepare_states(*lowered->program, nullptr, 0, nullptr);
  EXPECT_TRUE(!weights || write_weights(*lowered->program, *states, *weights));
  const auto executable = *device->compile(lowered->program, states);
  for (const auto& [socket, tensor] : options.bindings)
    EXPECT_TRUE(!lowered->sockets.contains(socket) ||
                executable->write_input(socket.node + "." + socket.socket, tensor));
  EXPECT_TRUE(executable->run({}));
  return executable->read(value)->to_f64();
}

inline std::vector<std::string> operators_of(const interop::OnnxModel& model) {
  std::vector<std::string> all;
  for (const interop::OnnxNode& n : model.graph.nodes) all.push_back(n.op);
  return all;
}

}  // namespace hw::test
