// Layers on inputs whose answer is known without running a program.
#include <cmath>

#include "engine/devices/devices.h"
#include "engine/node/example_assets.h"
#include "engine/program/adjoint.h"
#include "tests/nodes/known_values.h"

namespace hw::test {
namespace {

TEST(KnownValues, LinearIsPyTorchs) {
  const NodeRun run{"linear",
                    {{"x", f32({1, 2}, {3, 4})}},
                    {{"out_features", int64_t{3}}},
                    {{"weight", f32({3, 2}, {1, 0, 0, 1, 1, 1})}, {"bias", f32({3}, {10, 20, 30})}}};
  EXPECT_THAT(values(run), near({13, 24, 37}));
}

TEST(KnownValues, DropoutOfAllIsZero) {
  EXPECT_THAT(values({"dropout", {{"x", f32({4}, {1, -2, 3, 1e30})}}, {{"p", 1.0}}, {}, true}), near({0, 0, 0, 0}));
}

TEST(KnownValues, MlpIsLayersWithActivations) {
  const ParamMap params{{"width", int64_t{2}}, {"hidden_layers", int64_t{1}}, {"out_features", int64_t{1}}};
  const NodeRun run{"mlp",
                    {{"x", f32({2, 1}, {2, -2})}},
                    params,
                    {{"layer_0", f32({2, 1}, {1, -1})}, {"layer_1", f32({1, 2}, {10, 100})}}};
  EXPECT_THAT(values(run), near({20, 200}));
}

TEST(KnownValues, ConvolutionIsPyTorchs) {
  const Tensor x = f32({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  NodeRun run{
      "conv2d",
      {{"x", x}},
      {{"out_channels", int64_t{1}}, {"kernel_size", std::vector<double>{2}}, {"padding", std::string("valid")}},
      {{"weight", f32({1, 1, 2, 2}, {1, 0, 0, -1})}, {"bias", f32({1}, {10})}}};
  EXPECT_THAT(values(run), near({6, 6, 6, 6}));
  run.params["padding"] = std::string("same");  // one row and one column of zeros, at the end
  EXPECT_THAT(values(run), near({6, 6, 13, 6, 6, 16, 17, 18, 19}));
}

TEST(KnownValues, TransposedConvolutionPutsAStampAtEachElement) {
  const NodeRun run{"conv_transpose2d",
                    {{"x", f32({1, 1, 1, 2}, {1, 10})}},
                    {{"out_channels", int64_t{1}}, {"bias", false}},
                    {{"weight", f32({1, 1, 2, 2}, {1, 2, 3, 4})}}};
  EXPECT_THAT(values(run), near({1, 2, 10, 20, 3, 4, 30, 40}));
}

TEST(KnownValues, Pools) {
  const Tensor x = f32({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, -8});
  EXPECT_THAT(values({"max_pool", {{"x", x}}}), near({6, 7}));
  EXPECT_THAT(values({"avg_pool", {{"x", x}}}), near({3.5, 1.5}));
  EXPECT_THAT(values({"global_avg_pool", {{"x", x}}}), near({2.5}));
  ParamMap same{
      {"kernel_size", std::vector<double>{3, 1}}, {"stride", std::vector<double>{1}}, {"padding", std::string("same")}};
  EXPECT_THAT(values({"avg_pool", {{"x", x}}, same}),
              near({2, 8.0 / 3, 10.0 / 3, -4.0 / 3, 2, 8.0 / 3, 10.0 / 3, -4.0 / 3}));
  same["count_include_pad"] = false;
  EXPECT_THAT(values({"avg_pool", {{"x", x}}, same}), near({3, 4, 5, -2, 3, 4, 5, -2}));
}

TEST(KnownValues, UpsampleModes) {
  const Tensor x = f32({1, 1, 1, 2}, {0, 4});
  ParamMap wide{{"factor", std::vector<double>{1, 2}}};
  EXPECT_THAT(values({"upsample", {{"x", x}}, wide}), near({0, 0, 4, 4}));
  wide["mode"] = std::string("bilinear");
  EXPECT_THAT(values({"upsample", {{"x", x}}, wide}), near({0, 1, 3, 4}));
  wide["align_corners"] = true;
  EXPECT_THAT(values({"upsample", {{"x", x}}, wide}), near({0, 4.0 / 3, 8.0 / 3, 4}));
}

TEST(KnownValues, BatchNormUsesTheRunningStatisticsInEvaluation) {
  const NodeRun run{.node = "batch_norm",
                    .inputs = {{"x", f32({2, 2}, {1, 2, 3, 4})}},
                    .params = {{"epsilon", 1e-9}},
                    .weights = {{"weight", f32({2}, {1, 2})},
                                {"bias", f32({2}, {0, 1})},
                                {"running_mean", f32({2}, {1, 0})},
                                {"running_var", f32({2}, {4, 16})}},
                    .training = false};
  EXPECT_THAT(values(run), near({0, 2, 1, 3}));
}

// One training step of the node on [[1], [2], [6]]: mean 3, variance 14/3 over n, 7 over n − 1.
TEST(KnownValues, BatchNormMovesTheRunningStatisticsAsItsSemanticsSay) {
  for (const std::string semantics : {"pytorch", "onnx"})
    for (const std::string& id : device_ids()) {
      NodeCase c{"running", Registry::instance().find("batch_norm"), {.name = "given"}};
      c.example.inputs = {{"x", DType::f32, {3, 1}, {}}};
      c.example.params = {{"semantics", semantics}, {"momentum", 0.25}};
      LoweredCase lowered = lower_case(c, true);
      const auto outputs = lowered.tensor_outputs();
      auto running = start(lowered, id, outputs);
      ASSERT_TRUE(running) << running.error().text();
      ASSERT_TRUE(running->executable->write_input("in.x", f32({3, 1}, {1, 2, 6})));
      ASSERT_TRUE(running->run());
      const bool onnx = semantics == "onnx";
      EXPECT_THAT(running->states->read("node.running_mean").to_f64(), near({onnx ? 0.75 * 3 : 0.25 * 3}));
      EXPECT_THAT(running->states->read("node.running_var").to_f64(),
                  near({onnx ? 0.25 + 0.75 * 14 / 3 : 0.75 + 0.25 * 7}));
    }
}

TEST(KnownValues, LayerAndGroupNorm) {
  const double one = 1 / std::sqrt(1.25), half = 0.5 / std::sqrt(1.25);
  const ParamMap plain{{"affine", false}, {"epsilon", 1e-12}};
  EXPECT_THAT(values({"layer_norm", {{"x", f32({2, 4}, {1, 2, 3, 4, 40, 30, 20, 10})}}, plain}),
              near({-one * 1.5, -half, half, one * 1.5, one * 1.5, half, -half, -one * 1.5}));
  ParamMap groups = plain;
  groups["groups"] = int64_t{2};
  EXPECT_THAT(values({"group_norm", {{"x", f32({1, 4, 1, 2}, {0, 2, 0, 2, 5, 7, 5, 7})}}, groups}),
              near({-1, 1, -1, 1, -1, 1, -1, 1}));
}

TEST(KnownValues, DropoutIsTheIdentityInEvaluation) {
  const Tensor x = random_tensor("dropout", DType::f32, {100}, 1, 2);
  EXPECT_EQ(values({.node = "dropout", .inputs = {{"x", x}}, .training = false}), x.to_f64());
}

TEST(KnownValues, DropoutKeepsItsShareAndTheMean) {
  const Tensor ones = f32({20000}, std::vector<double>(20000, 1.0));
  const auto y = values({"dropout", {{"x", ones}}, {{"p", 0.25}}});
  size_t kept = 0;
  for (const double v : y) {
    EXPECT_TRUE(v == 0 || std::abs(v - 4.0 / 3) < 1e-6) << v;
    kept += v != 0;
  }
  EXPECT_NEAR(static_cast<double>(kept) / 20000, 0.75, 0.015);  // five standard deviations
}

// The gradient that arrives before a Gradient Scale is `factor` times the one after it, and `unscale` names it for
// parameters.
TEST(KnownValues, GradientScaleScalesAndUnscales) {
  for (const bool unscale : {true, false}) {
    Program program;
    OpBuilder b(program);
    b.set_node("node");
    const Val weight = b.param("weight", DType::f64, {3}, {});
    const NodeType& type = *Registry::instance().find("gradient_scale");
    const ParamMap values{{"factor", 128.0}, {"unscale", unscale}};
    const Params params(type.decl, values);
    ExampleAssets assets;
    const Lowered out = type.lower(b, LowerArgs(params, {{"x", weight}}, assets));
    const Val loss = b.sum_to(std::get<Val>(out[0]), {}, DType::f64);
    const auto gradients = build_adjoint(b, loss);
    ASSERT_TRUE(gradients) << gradients.error().text();
    const auto factor = gradients->unscale.find(weight.id);
    EXPECT_EQ(factor == gradients->unscale.end() ? 1.0 : factor->second, unscale ? 1.0 / 128 : 1.0);

    const auto device = make_device("ref");
    ASSERT_TRUE(device) << device.error().text();
    const ValueId gradient = gradients->of.at(weight.id).id;
    program.outputs.push_back({"gradient", gradient});
    const auto states = (*device)->prepare_states(program, nullptr, 0, nullptr);
    ASSERT_TRUE(states) << states.error().text();
    const auto executable = (*device)->compile(std::make_shared<Program>(program), *states);
    ASSERT_TRUE(executable) << executable.error().text();
    ASSERT_TRUE((*executable)->run({}));
    EXPECT_THAT((*executable)->read(gradient)->to_f64(), testing::ElementsAre(128, 128, 128));
  }
}

}  // namespace
}  // namespace hw::test
