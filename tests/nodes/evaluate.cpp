#include "tests/nodes/evaluate.h"

#include <gtest/gtest.h>

namespace hw::test {
namespace {

Result<std::vector<Tensor>> try_evaluate(const NodeRun& run) {
  NodeCase c{run.node, Registry::instance().find(run.node), {.name = "given", .params = run.params}};
  for (const auto& [socket, tensor] : run.inputs)
    c.example.inputs.push_back({socket, tensor.dtype(), tensor.dims(), {}});
  if (run.with_mesh) c.example.inputs.push_back({.socket = "mesh"});
  if (run.with_image) c.example.inputs.push_back({.socket = "image"});
  if (run.with_data) c.example.inputs.push_back({.socket = "data"});
  LoweredCase lowered = lower_case(c, run.training);
  if (!lowered.shapes) return lowered.shapes.error();
  HW_CHECK(lowered.builder->status());
  const std::vector<Val> outputs = lowered.tensor_outputs();
  HW_TRY(RunningCase running, start(lowered, "ref", outputs));
  for (const auto& [socket, tensor] : run.inputs) HW_CHECK(running.executable->write_input("in." + socket, tensor));
  for (const auto& [weight, tensor] : run.weights) HW_CHECK(running.states->write("node." + weight, tensor));
  HW_CHECK(running.run());
  std::vector<Tensor> tensors;
  for (const Val v : outputs) {
    HW_TRY(Tensor tensor, running.executable->read(v.id));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace

std::vector<Tensor> evaluate(const NodeRun& run) {
  auto tensors = try_evaluate(run);
  if (tensors) return *tensors;
  ADD_FAILURE() << run.node << ": " << tensors.error().text();
  return {};
}

Result<Shapes> shapes_of(const std::string& node, const ShapeArgs::In& types, const ParamMap& params) {
  const NodeType& type = *Registry::instance().find(node);
  return type.shape(ShapeArgs(Params(type.decl, params), types));
}

}  // namespace hw::test
