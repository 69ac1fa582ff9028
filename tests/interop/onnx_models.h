// Models of ONNX that are imported, and what they compute.
#pragma once

#include <gtest/gtest.h>

#include "app/interop/onnx/import_graph.h"
#include "engine/devices/devices.h"
#include "engine/io/asset/assets.h"
#include "engine/plan/write_weights.h"
#include "tests/engine/io_temp.h"
#include "tests/interop/onnx_files.h"

namespace hw::test {

inline Result<interop::ImportedModel> imported(const onnx::ModelProto& model,
                                               const interop::ImportOptions& options = {}) {
  const TempFolder folder;
  write(model, folder / "m.onnx");
  HW_TRY(const interop::OnnxModel read, interop::read_onnx(folder / "m.onnx"));
  return interop::import_graph(read, options);
}

/// What is in the way of a model: its error, or the first operator that is missing; "": nothing is.
inline std::string trouble_in(const Result<interop::ImportedModel>& made) {
  if (!made) return made.error().text();
  return made->missing.empty() ? "" : made->missing.front().reason;
}

/// The first output, of these values of the input "x".
inline std::vector<double> values_of(const interop::ImportedModel& model, const Tensor& x) {
  FileAssets assets("");
  const SocketRef wanted = model.outputs.front().second;
  LowerOptions options;
  options.bindings = {{{model.inputs.at("x"), "y"}, x}};
  const auto lowered = lower(model.graph, std::span(&wanted, 1), options, assets);
  EXPECT_TRUE(lowered) << lowered.error().text();
  if (!lowered) return {};
  const ValueId value = std::get<Val>(lowered->sockets.at(wanted)).id;
  lowered->program->outputs.push_back({"y", value});
  const auto device = *make_device("ref");
  const auto states = *device->prepare_states(*lowered->program, nullptr, 0, nullptr);
  EXPECT_TRUE(write_weights(*lowered->program, *states, model.weights));
  const auto executable = *device->compile(lowered->program, states);
  EXPECT_TRUE(executable->write_input(model.inputs.at("x") + ".y", x));
  EXPECT_TRUE(executable->run({}));
  return executable->read(value)->to_f64();
}

inline Tensor floats(const Dims& dims, const std::vector<float>& values) {
  return Tensor::from_f32(DType::f32, dims, values);
}

/// x [batch, 1, 3, 3] → Conv 2×2 → Relu → Flatten → Gemm: y [batch, 2].
inline onnx::ModelProto small_network() {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {-1, 1, 3, 3});
  add_value(*model.mutable_graph()->mutable_output(), "y", {-1, 2});
  add_floats(model, "layer1.0.weight", {1, 1, 2, 2}, {1, 0, 0, 1});
  add_floats(model, "layer1.0.bias", {1}, {-10});
  add_floats(model, "fc.weight", {2, 4}, {1, 1, 1, 1, 1, 0, 0, 0});
  add_floats(model, "fc.bias", {2}, {0.5f, 0});
  add_node(model, "Conv", {"x", "layer1.0.weight", "layer1.0.bias"}, {"c"});
  add_node(model, "Relu", {"c"}, {"r"});
  add_node(model, "Flatten", {"r"}, {"f"});
  set_int(add_node(model, "Gemm", {"f", "fc.weight", "fc.bias"}, {"y"}), "transB", 1);
  return model;
}

}  // namespace hw::test
