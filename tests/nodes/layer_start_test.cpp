// How layers start, against what PyTorch's modules of the same sizes start with (torch/nn/modules, reset_parameters).
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "engine/node/lower_example.h"

namespace hw {
namespace {

using InitKind = Init::Kind;

/// One layer, and what PyTorch's module with these sizes draws.
struct Layer {
  const char* type;
  const char* name;
  ParamMap params;
  std::vector<ExampleInput> inputs;
  std::map<std::string, Init> start;  // by the parameter's name
};

ExampleInput input(const char* socket, Dims dims, DType dtype = DType::f32) {
  return {.socket = socket, .dtype = dtype, .dims = std::move(dims)};
}
Init uniform(double bound) {
  return {InitKind::uniform, bound};
}
Init constant(double value) {
  return value == 0 ? Init{} : Init{InitKind::constant, value};
}

std::vector<Layer> layers() {
  const Init linear = uniform(1 / std::sqrt(12.0)), conv = uniform(1 / std::sqrt(6.0 / 2 * 9));
  const Init hidden = uniform(1 / std::sqrt(7.0)), joint = uniform(std::sqrt(6.0 / (64 + 3 * 64)));
  const Init out = uniform(1 / std::sqrt(64.0));
  return {
      {"linear", "", {{"out_features", int64_t{5}}}, {input("x", {3, 12})}, {{"weight", linear}, {"bias", linear}}},
      {"conv2d",
       "grouped",
       {{"out_channels", int64_t{4}}, {"groups", int64_t{2}}},
       {input("x", {1, 6, 8, 8})},
       {{"weight", conv}, {"bias", conv}}},
      {"embedding",
       "",
       {{"entries", int64_t{9}}},
       {input("index", {4}, DType::i64)},
       {{"table", {InitKind::normal, 1}}}},
      {"layer_norm", "", {}, {input("x", {2, 6})}, {{"weight", constant(1)}, {"bias", constant(0)}}},
      {"rms_norm", "", {}, {input("x", {2, 6})}, {{"weight", constant(1)}}},
      {"group_norm",
       "",
       {{"groups", int64_t{2}}},
       {input("x", {1, 6, 4, 4})},
       {{"weight", constant(1)}, {"bias", constant(0)}}},
      {"batch_norm", "", {}, {input("x", {2, 6, 4, 4})}, {{"weight", constant(1)}, {"bias", constant(0)}}},
      {"prelu", "", {}, {input("x", {2, 6})}, {{"weight", constant(0.25)}}},
      {"gru",
       "",
       {{"hidden_size", int64_t{7}}},
       {input("x", {2, 3, 5})},
       {{"weight_ih", hidden}, {"weight_hh", hidden}, {"bias_ih", hidden}, {"bias_hh", hidden}}},
      {"lstm",
       "",
       {{"hidden_size", int64_t{7}}},
       {input("x", {2, 3, 5})},
       {{"weight_ih", hidden}, {"weight_hh", hidden}, {"bias_ih", hidden}, {"bias_hh", hidden}}},
      {"attention",
       "self",
       {},
       {input("x", {2, 5, 64})},
       {{"query", joint},
        {"key", joint},
        {"value", joint},
        {"output", out},
        {"query_bias", constant(0)},
        {"value_bias", constant(0)},
        {"output_bias", constant(0)}}},
      {"attention",
       "context of the same size",
       {},
       {input("x", {2, 5, 64}), input("context", {2, 3, 64})},
       {{"query", joint}, {"key", joint}, {"value", joint}, {"output", out}}},
      {"attention",
       "context of another size",
       {},
       {input("x", {2, 5, 64}), input("context", {2, 3, 16})},
       {{"query", uniform(std::sqrt(6.0 / 128))},
        {"key", uniform(std::sqrt(6.0 / 80))},
        {"value", uniform(std::sqrt(6.0 / 80))},
        {"output", out}}},
  };
}

TEST(Layers, StartAsPyTorchs) {
  for (const Layer& layer : layers()) {
    SCOPED_TRACE(std::string(layer.type) + " " + layer.name);
    const NodeType* type = Registry::instance().find(layer.type);
    ASSERT_NE(type, nullptr);
    const LoweredExample lowered =
        lower_example(*type, {.name = layer.name, .inputs = layer.inputs, .params = layer.params});
    ASSERT_TRUE(lowered.builder->status()) << lowered.builder->status().error().text();
    size_t found = 0;
    for (const Param& param : lowered.program->params) {
      const auto start = layer.start.find(param.name.substr(param.name.find('.') + 1));
      if (start == layer.start.end()) continue;
      ++found;
      const bool is_zero = start->second.kind == InitKind::zeros;
      EXPECT_TRUE(param.init.kind == start->second.kind || (is_zero && param.init.kind == InitKind::constant))
          << param.name;
      EXPECT_NEAR(param.init.a, start->second.a, 1e-12) << param.name;
    }
    EXPECT_EQ(found, layer.start.size());
  }
}

}  // namespace
}  // namespace hw
