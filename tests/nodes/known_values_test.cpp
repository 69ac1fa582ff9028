// Nodes on inputs whose answer is known without running a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/program/adjoint.h"
#include "tests/nodes/evaluate.h"
#include "tests/nodes/test_mesh.h"

namespace hw::test {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

Tensor f32(Dims dims, std::vector<double> values) {
  return Tensor::from_f64(DType::f32, std::move(dims), values);
}

// The values of the node's first output.
std::vector<double> values(const NodeRun& run) {
  const auto tensors = evaluate(run);
  return tensors.empty() ? std::vector<double>{} : tensors[0].to_f64();
}

auto near(std::vector<double> wanted, double tolerance = 1e-6) {
  return Pointwise(DoubleNear(tolerance), std::move(wanted));
}

TEST(KnownValues, Arithmetic) {
  const Tensor a = f32({2, 2}, {1, 2, 3, 4}), b = f32({2}, {10, 20});
  EXPECT_THAT(values({"add", {{"a", a}, {"b", b}}}), near({11, 22, 13, 24}));
  EXPECT_THAT(values({"sub", {{"a", a}, {"b", b}}}), near({-9, -18, -7, -16}));
  EXPECT_THAT(values({"mul", {{"a", a}, {"b", b}}}), near({10, 40, 30, 80}));
  EXPECT_THAT(values({"mean", {{"x", a}}}), near({2.5}));
  EXPECT_THAT(values({"mse", {{"prediction", a}, {"target", f32({2, 2}, {1, 0, 3, 8})}}}), near({5}));
}

TEST(KnownValues, Activations) {
  EXPECT_THAT(values({"relu", {{"x", f32({3}, {-2, 0, 3})}}}), near({0, 0, 3}));
  EXPECT_THAT(values({"sigmoid", {{"x", f32({3}, {-100, 0, std::log(3.0)})}}}), near({0, 0.5, 0.75}));
}

TEST(KnownValues, Functions) {
  const double e = std::exp(1.0);
  EXPECT_THAT(values({"leaky_relu", {{"x", f32({3}, {-2, 0, 3})}}, {{"negative_slope", 0.1}}}), near({-0.2, 0, 3}));
  EXPECT_THAT(values({"elu", {{"x", f32({2}, {-1, 3})}}, {{"alpha", 2.0}}}), near({2 / e - 2, 3}));
  EXPECT_THAT(values({"softplus", {{"x", f32({3}, {0, 100, -100})}}, {{"beta", 2.0}}}),
              near({std::log(2.0) / 2, 100, 0}));
  EXPECT_THAT(values({"gelu", {{"x", f32({3}, {-1, 0, 1})}}}), near({-0.15865525, 0, 0.84134475}));
  EXPECT_THAT(values({"pow", {{"base", f32({2}, {-3, 0.5})}}}), near({9, 0.25}));
  EXPECT_THAT(values({"clip", {{"x", f32({3}, {-1, 0.25, 7})}}}), near({0, 0.25, 1}));
  EXPECT_THAT(values({"remap", {{"x", f32({3}, {0, 0.5, 2})}}, {{"to_max", 3.0}}}), near({-1, 1, 7}));
  EXPECT_THAT(values({"compare", {{"a", f32({3}, {1, 2, 3})}, {"b", f32({}, {2})}}}), near({1, 0, 0}));
  const Tensor c = Tensor::from_f64(DType::boolean, {2}, std::vector<double>{1, 0});
  EXPECT_THAT(values({"where", {{"condition", c}, {"a", f32({2}, {1, 2})}, {"b", f32({}, {9})}}}), near({1, 9}));
}

TEST(KnownValues, Reductions) {
  const Tensor x = f32({2, 3}, {1, 5, 2, 4, 0, 3});
  using Axes = std::vector<double>;
  EXPECT_THAT(values({"sum", {{"x", x}}}), near({15}));
  EXPECT_THAT(values({"sum", {{"x", x}}, {{"axes", Axes{0}}}}), near({5, 5, 5}));
  EXPECT_THAT(values({"mean", {{"x", x}}, {{"axes", Axes{-1}}}}), near({8.0 / 3, 7.0 / 3}));
  EXPECT_THAT(values({"reduce_max", {{"x", x}}, {{"axes", Axes{1}}, {"keep", true}}}), near({5, 4}));
  EXPECT_THAT(values({"reduce_min", {{"x", x}}, {{"axes", Axes{0, 1}}}}), near({0}));
  EXPECT_THAT(values({"softmax", {{"x", f32({1, 2}, {0, std::log(3.0)})}}}), near({0.25, 0.75}));
}

TEST(KnownValues, Losses) {
  const Tensor p = f32({2}, {1, -3}), t = f32({2}, {1.5, 1});
  EXPECT_THAT(values({"l1", {{"prediction", p}, {"target", t}}}), near({2.25}));
  EXPECT_THAT(values({"huber", {{"prediction", p}, {"target", t}}}), near({(0.125 + 3.5) / 2}));
  EXPECT_THAT(values({"relative_l2", {{"prediction", p}, {"target", t}}}), near({(0.25 / 1.01 + 16 / 9.01) / 2}));
  EXPECT_THAT(values({"bce_with_logits", {{"prediction", f32({2}, {0, 50})}, {"target", f32({2}, {1, 0})}}}),
              near({(std::log(2.0) + 50) / 2}, 1e-5));
  const Tensor logits = f32({2, 3}, {0, 0, 0, 1000, 0, 0});
  const Tensor labels = Tensor::from_f64(DType::i64, {2}, std::vector<double>{2, 0});
  EXPECT_THAT(values({"cross_entropy", {{"logits", logits}, {"labels", labels}}}), near({std::log(3.0) / 2}));
  EXPECT_THAT(values({"accuracy", {{"logits", logits}, {"labels", labels}}}), near({0.5}));
  const Tensor outside = Tensor::from_f64(DType::i64, {2}, std::vector<double>{3, 0});
  EXPECT_THAT(values({"cross_entropy", {{"logits", logits}, {"labels", outside}}}),
              testing::ElementsAre(testing::IsNan()));
}

// tiny-cuda-nn: 2 (p - t) / (p² + epsilon) / count.
TEST(KnownValues, RelativeL2TakesItsDenominatorForAConstant) {
  Program program;
  OpBuilder b(program);
  b.set_node("node");
  const Val p = b.constant(f32({2}, {1, -3})), t = b.constant(f32({2}, {1.5, 1}));
  const NodeType& type = *Registry::instance().find("relative_l2");
  const ParamMap none;
  const Params params(type.decl, none);
  TestAssets assets;
  const Lowered out = type.lower(b, LowerArgs(params, {{"prediction", p}, {"target", t}}, assets));
  const Val wanted[] = {p};
  const auto gradients = build_adjoint(b, std::get<Val>(out[0]), wanted);
  ASSERT_TRUE(gradients) << gradients.error().text();
  const ValueId gradient = gradients->of.at(p.id).id;
  program.outputs.push_back({"gradient", gradient});
  const auto device = make_device("ref");
  const auto executable = (*device)->compile(std::make_shared<Program>(program), nullptr);
  ASSERT_TRUE(executable) << executable.error().text();
  ASSERT_TRUE((*executable)->run({}));
  EXPECT_THAT((*executable)->read(gradient)->to_f64(), near({-0.5 / 1.01, -4 / 9.01}));
}

TEST(KnownValues, CastRoundsOnceToNearestEven) {
  const Tensor x = f32({4}, {65519, 65520, 1 + 0x1p-11, 0x1p-26});
  const double inf = HUGE_VAL;
  EXPECT_THAT(values({"cast", {{"x", x}}, {{"to", std::string("f16")}}}), testing::ElementsAre(65504, inf, 1, 0));
}

TEST(KnownValues, ConstantFills) {
  EXPECT_THAT(values({"constant", {}, {{"value", 2.5}, {"shape", std::vector<double>{2, 2}}}}),
              near({2.5, 2.5, 2.5, 2.5}));
}

TEST(KnownValues, ShapeNodesKeepTheOrder) {
  const Tensor a = f32({2, 2}, {1, 2, 3, 4}), b = f32({2, 1}, {5, 6});
  EXPECT_THAT(values({"concat", {{"a", a}, {"b", b}}}), near({1, 2, 5, 3, 4, 6}));
  EXPECT_THAT(values({"slice", {{"x", a}}, {{"begin", int64_t{1}}}}), near({2, 4}));
  EXPECT_THAT(values({"slice", {{"x", a}}, {{"axis", int64_t{0}}, {"end", int64_t{-1}}}}), near({1, 2}));
  EXPECT_THAT(values({"reshape", {{"x", a}}}), near({1, 2, 3, 4}));
}

TEST(KnownValues, LayoutNodesKeepTheElements) {
  const Tensor a = f32({2, 3}, {1, 2, 3, 4, 5, 6}), b = f32({2, 3}, {7, 8, 9, 10, 11, 12});
  EXPECT_THAT(values({"transpose", {{"x", a}}}), near({1, 4, 2, 5, 3, 6}));
  EXPECT_THAT(values({"stack", {{"a", a}, {"b", b}}, {{"axis", int64_t{1}}}}),
              near({1, 2, 3, 7, 8, 9, 4, 5, 6, 10, 11, 12}));
  EXPECT_THAT(values({"pad", {{"x", a}}, {{"axes", std::vector<double>{0, 1}}, {"value", 9.0}}}),
              near({9, 9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 4, 5, 6, 9, 9, 9, 9, 9, 9}));
  EXPECT_THAT(values({"flatten", {{"x", f32({1, 2, 3}, {1, 2, 3, 4, 5, 6})}}}), near({1, 2, 3, 4, 5, 6}));
  const auto parts = evaluate({"split", {{"x", a}}, {{"at", int64_t{-1}}}});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_THAT(parts[0].to_f64(), near({1, 2, 4, 5}));
  EXPECT_THAT(parts[1].to_f64(), near({3, 6}));
}

TEST(KnownValues, MatMulIsNumPys) {
  const Tensor a = f32({2, 2}, {1, 2, 3, 4}), b = f32({2, 2}, {5, 6, 7, 8});
  EXPECT_THAT(values({"matmul", {{"a", a}, {"b", b}}}), near({19, 22, 43, 50}));
  EXPECT_THAT(values({"matmul", {{"a", a}, {"b", b}}, {{"transpose_a", true}}}), near({26, 30, 38, 44}));
  EXPECT_THAT(values({"matmul", {{"a", a}, {"b", b}}, {{"transpose_b", true}}}), near({17, 23, 39, 53}));
  const Tensor two = f32({2, 1, 2}, {1, 0, 0, 1});  // picks the rows of b
  EXPECT_THAT(values({"matmul", {{"a", two}, {"b", f32({1, 2, 2}, {5, 6, 7, 8})}}}), near({5, 6, 7, 8}));
}

TEST(KnownValues, RandomHasTheMomentsOfItsDistribution) {
  for (const char* distribution : {"uniform", "normal"}) {
    const bool uniform = distribution == std::string("uniform");
    const ParamMap params{{"distribution", std::string(distribution)},
                          {"a", uniform ? -1.0 : 3.0},
                          {"b", uniform ? 5.0 : 2.0},
                          {"shape", std::vector<double>{40000}},
                          {"axes", std::string()}};
    const auto y = values({"random", {}, params});
    ASSERT_EQ(y.size(), 40000u);
    double mean = 0, square = 0;
    for (const double v : y) mean += v / 40000;
    for (const double v : y) square += (v - mean) * (v - mean) / 40000;
    EXPECT_NEAR(mean, uniform ? 2 : 3, 0.05);  // five standard errors
    EXPECT_NEAR(std::sqrt(square), uniform ? std::sqrt(3.0) : 2, 0.04);
    for (const double v : y) EXPECT_TRUE(!uniform || (v >= -1 && v <= 5)) << v;
    const auto evaluated = values({.node = "random", .params = params, .training = false});
    EXPECT_EQ(evaluated, y) << "evaluation draws too";
    ParamMap still = params;
    still["evaluation"] = std::string("mean");
    EXPECT_EQ(values({"random", {}, still}), y) << "training draws whatever evaluation gets";
    for (const double v : values({.node = "random", .params = still, .training = false})) EXPECT_EQ(v, uniform ? 2 : 3);
  }
}

TEST(KnownValues, ParameterStartsAsAsked) {
  for (const char* start : {"zeros", "constant", "uniform", "normal"}) {
    Program program;
    OpBuilder b(program);
    b.set_node("node");
    const NodeType& type = *Registry::instance().find("parameter");
    const ParamMap given{{"shape", std::vector<double>{20001}},
                         {"init", std::string(start)},
                         {"scale", 0.5},
                         {"trainable", false},
                         {"dtype", std::string("f16")}};
    const Params params(type.decl, given);
    TestAssets assets;
    type.lower(b, LowerArgs(params, {}, assets));
    ASSERT_TRUE(b.status()) << b.status().error().text();
    ASSERT_EQ(program.params.size(), 1u);
    EXPECT_EQ(program.params[0].name, "node.value");
    EXPECT_FALSE(program.params[0].trainable);
    const auto device = make_device("cpu");
    ASSERT_TRUE(device) << device.error().text();
    const auto states = (*device)->prepare_states(program, nullptr, 7, nullptr);
    ASSERT_TRUE(states) << states.error().text();
    const auto v = (*states)->read("node.value.master").to_f64();
    double mean = 0, square = 0, largest = 0;
    for (const double x : v) {
      mean += x / 20001;
      square += x * x / 20001;
      largest = std::max(largest, std::abs(x));
    }
    const std::string kind = start;
    EXPECT_NEAR(mean, kind == "constant" ? 0.5 : 0, 0.02) << kind;
    EXPECT_NEAR(std::sqrt(square), kind == "zeros" ? 0 : kind == "uniform" ? 0.5 / std::sqrt(3.0) : 0.5, 0.015) << kind;
    if (kind == "uniform") {
      EXPECT_LE(largest, 0.5);
    }
    if (kind == "normal") {
      EXPECT_GT(largest, 1.5);
    }
  }
}

TEST(KnownValues, LinearIsPyTorchs) {
  const NodeRun run{"linear",
                    {{"x", f32({1, 2}, {3, 4})}},
                    {{"out_features", int64_t{3}}},
                    {{"weight", f32({3, 2}, {1, 0, 0, 1, 1, 1})}, {"bias", f32({3}, {10, 20, 30})}}};
  EXPECT_THAT(values(run), near({13, 24, 37}));
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

TEST(KnownValues, NormaliseMapsTheBoxToTheUnitCube) {
  const Tensor x = f32({3, 2}, {-2, 0, 2, 5, 4, 2.5});
  const ParamMap box{{"min", std::vector<double>{-2, 0}}, {"max", std::vector<double>{2, 5}}};
  EXPECT_THAT(values({"normalise_aabb", {{"position", x}}, box}), near({0, 0, 1, 1, 1, 0.5}));
  ParamMap free = box;
  free["clamp"] = false;
  EXPECT_THAT(values({"normalise_aabb", {{"position", x}}, free}), near({0, 0, 1, 1, 1.5, 0.5}));
}

TEST(KnownValues, NormaliseTakesTheBoundsOfTheMesh) {
  const NodeRun run{.node = "normalise_aabb", .inputs = {{"position", f32({1, 3}, {0, 1, 0.75})}}, .with_mesh = true};
  EXPECT_THAT(values(run), near({0.5, 1, 0.5}));
}

TEST(KnownValues, NormaliseKeepsAFlatAxisFinite) {
  const ParamMap flat{{"min", std::vector<double>{0, 3}}, {"max", std::vector<double>{4, 3}}};
  EXPECT_THAT(values({"normalise_aabb", {{"position", f32({1, 2}, {1, 3})}}, flat}), near({0.25, 0.5}));
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

TEST(KnownValues, HashGridOfOneValueIsThatValue) {
  const ParamMap params{{"levels", int64_t{2}}, {"log2_table", int64_t{10}}, {"dtype", std::string("f32")}};
  const auto entries = make_hash_grid(3, 2, 2, 10, 16, 2, false).table_entries();
  const std::vector<double> same(entries * 2, 0.75);
  const Tensor x = random_tensor("grid", DType::f32, {50, 3}, 0, 1);
  for (const double v : values({"hash_grid", {{"x", x}}, params, {{"table", f32({entries, 2}, same)}}}))
    EXPECT_NEAR(v, 0.75, 1e-6);  // the weights of the corners sum to 1
}

TEST(KnownValues, HashGridHasTheSizeOfNvdiffrecs) {
  const auto entries = make_hash_grid(3, 16, 2, 19, 16, std::exp(std::log(256.0) / 15), false).table_entries();
  EXPECT_EQ(entries * 2, 12'599'920u);
}

// x stands for 1/4 and -0.3 in f32.
TEST(KnownValues, FrequenciesAreSinesThenCosinesOfOctaves) {
  const NodeRun run{"frequency", {{"x", f32({1, 2}, {0.25, -0.3})}}, {{"n_frequencies", int64_t{3}}}};
  EXPECT_THAT(values(run), near({0.7071068, 0.7071068, 1, 0, 0, -1,  //
                                 -0.809017, 0.5877852, -0.9510565, -0.3090171, 0.5877854, -0.8090169}));
}

// 0.7 as stored: the angle is that of the stored number, whatever the octave.
TEST(KnownValues, HighFrequenciesAreExact) {
  const auto y = values({"frequency", {{"x", f32({1, 1}, {0.7})}}, {{"n_frequencies", int64_t{24}}}});
  ASSERT_EQ(y.size(), 48u);
  const auto octave = [](const std::vector<double>& from, size_t k) {
    return std::vector<double>{from[2 * k], from[2 * k + 1]};
  };
  EXPECT_THAT(octave(y, 11), near({-0.9510802148, 0.3089440483}));
  EXPECT_THAT(octave(y, 20), near({-0.5555702330, -0.8314696123}));
  EXPECT_THAT(octave(y, 23), near({-1, 0}));
  const Tensor narrow = Tensor::from_f64(DType::f16, {1, 1}, std::vector<double>{0.7});  // 717 / 1024
  const auto z = values({"frequency", {{"x", narrow}}, {{"n_frequencies", int64_t{11}}}});
  ASSERT_EQ(z.size(), 22u);
  EXPECT_THAT(octave(z, 8), near({-0.70710678, -0.70710678}, 2.5e-4));
  EXPECT_THAT(octave(z, 10), near({0, -1}, 2.5e-4));
}

TEST(KnownValues, ABlobIsSharedByTheBinsItReaches) {
  const auto blob = [](double x, int64_t bins, bool wrap) {
    return values({"one_blob", {{"x", f32({1, 1}, {x})}}, {{"bins", bins}, {"wrap", wrap}}});
  };
  EXPECT_THAT(blob(0.375, 4, true), near({0.103515625, 0.79296875, 0.103515625, 0}));
  EXPECT_THAT(blob(0.375, 8, false), near({0, 0, 0.5, 0.5, 0, 0, 0, 0}));
  EXPECT_THAT(blob(0.9, 8, true), near({0.00856, 0, 0, 0, 0, 0, 0.31744, 0.674}));
  EXPECT_THAT(blob(0.9, 8, false), near({0, 0, 0, 0, 0, 0, 0.31744, 0.674}));
  EXPECT_THAT(blob(0.03125, 4, true), near({0.6137543, 0.0022182, 0, 0.3840275}));
  for (const double end : {0.0, 1.0}) EXPECT_THAT(blob(end, 4, true), near({0.5, 0, 0, 0.5})) << end;
  EXPECT_THAT(blob(1, 4, false), near({0, 0, 0, 0.5}));
  for (const double beyond : {-0.25, 1.75}) EXPECT_THAT(blob(beyond, 4, true), near({0, 0, 0.5, 0.5})) << beyond;
  const auto two = values({"one_blob", {{"x", f32({1, 2}, {0.5, 0})}}, {{"bins", int64_t{4}}}});
  EXPECT_THAT(two, near({0, 0.5, 0.5, 0, 0.5, 0, 0, 0.5}));
}

// Associated Legendre functions with Condon and Shortley's phase, times √2 cos(m φ) or √2 sin(|m| φ), at (2, 3, 6) / 7
// and (-0.8, 0.36, -0.48).
TEST(KnownValues, SphericalHarmonicsAreTheOrthonormalRealOnes) {
  const std::vector<double> first{0.28209479, -0.20940108, 0.41880215,  -0.13960072, 0.13378144, -0.40134432,
                                  0.37975719, -0.26756288, -0.05574227, -0.01548219, 0.30338779, -0.52367055,
                                  0.21541957, -0.3491137,  -0.12641158, 0.07913121};
  std::vector<double> both = first;
  both.insert(both.end(),
              {0.28209479, -0.1758969, -0.23452921, 0.39088201, -0.31465395, 0.18879237, -0.09739292, -0.4195386,
               0.27881836, -0.38030906, 0.39959813, -0.02500955, 0.33102233, 0.05557677, -0.35408834, 0.11857516});
  const Tensor x = f32({2, 3}, {2.0 / 7, 3.0 / 7, 6.0 / 7, -0.8, 0.36, -0.48});
  EXPECT_THAT(values({"spherical_harmonics", {{"x", x}}, {{"signed", true}}}), near(both));
  const Tensor unit = f32({1, 3}, {9.0 / 14, 10.0 / 14, 13.0 / 14});  // [0, 1] stands for [-1, 1]
  for (const int64_t degree : {1, 2, 3, 4})
    EXPECT_THAT(values({"spherical_harmonics", {{"x", unit}}, {{"degree", degree}}}),
                near({first.begin(), first.begin() + degree * degree}))
        << degree;
}

TEST(KnownValues, SurfaceSamplesLieOnTheMesh) {
  const auto out = evaluate({.node = "surface_sampler", .params = {{"points", int64_t{4000}}}, .with_mesh = true});
  ASSERT_EQ(out.size(), 4u);
  const auto position = out[0].to_f64(), normal = out[1].to_f64(), uv = out[2].to_f64(), colour = out[3].to_f64();
  size_t on_quad = 0;
  for (size_t i = 0; i < 4000; ++i) {
    const double x = position[i * 3], y = position[i * 3 + 1], z = position[i * 3 + 2];
    EXPECT_NEAR(std::hypot(normal[i * 3], normal[i * 3 + 1], normal[i * 3 + 2]), 1, 1e-6);
    if (z == 0) {
      ++on_quad;
      EXPECT_NEAR(uv[i * 2], (x + 1) / 2, 1e-6);
      EXPECT_NEAR(uv[i * 2 + 1], (y + 1) / 2, 1e-6);
      // Away from the wrap-around red grows with u, green falls with v: 30 a texel, of 255.
      const auto inside = [](double t) { return t > 0.07 && t < 0.93; };
      if (inside(uv[i * 2])) {
        EXPECT_NEAR(colour[i * 3], (uv[i * 2] * 8 - 0.5) * 30 / 255, 1e-5);
      }
      if (inside(uv[i * 2 + 1])) {
        EXPECT_NEAR(colour[i * 3 + 1], ((1 - uv[i * 2 + 1]) * 8 - 0.5) * 30 / 255, 1e-5);
      }
    } else {
      EXPECT_NEAR(z, 1 + y / 2, 1e-6);
      EXPECT_NEAR(colour[i * 3 + 2], 0.75, 1e-6);
    }
  }
  // Areas: 4 and |(1, 0, 0) × (0, 1, 0.5)| / 2.
  const double share = 4 / (4 + std::sqrt(1.25) / 2);
  EXPECT_NEAR(static_cast<double>(on_quad) / 4000, share, 0.025);
}

// Every sample has the colour that the picture has at its position, by the definition of each mode.
TEST(KnownValues, ImageSamplesAreThePicturesColours) {
  const auto picture = test_picture();
  const auto byte = [&](double column, double row, size_t channel) {
    const auto x = static_cast<size_t>(std::clamp(column, 0.0, 7.0)),
               y = static_cast<size_t>(std::clamp(row, 0.0, 6.0));
    return picture->rgba[(y * 8 + x) * 4 + channel] / 255.0;
  };
  for (const char* sampling : {"bilinear", "nearest", "centres"}) {
    const auto out = evaluate({.node = "image_sampler",
                               .params = {{"points", int64_t{500}}, {"sampling", std::string(sampling)}},
                               .with_image = true});
    ASSERT_EQ(out.size(), 2u);
    const std::vector<double> position = out[0].to_f64(), colour = out[1].to_f64();
    for (size_t i = 0; i < 500; ++i) {
      const double x = position[i * 2] * 8, y = position[i * 2 + 1] * 7;
      for (size_t c = 0; c < 3; ++c) {
        double wanted = byte(std::floor(x), std::floor(y), c);
        if (std::string(sampling) == "bilinear") {
          const double u = x - 0.5, v = y - 0.5, a = u - std::floor(u), b = v - std::floor(v);
          const auto line = [&](double row) {
            return (1 - a) * byte(std::floor(u), row, c) + a * byte(std::floor(u) + 1, row, c);
          };
          wanted = (1 - b) * line(std::floor(v)) + b * line(std::floor(v) + 1);
        }
        ASSERT_NEAR(colour[i * 3 + c], wanted, 1e-5) << sampling << " at " << x << ", " << y;
      }
      if (std::string(sampling) == "centres") {
        ASSERT_NEAR(x - std::floor(x), 0.5, 1e-5);
        ASSERT_NEAR(y - std::floor(y), 0.5, 1e-5);
      }
    }
  }
}

// Training: rows of the training split, none twice within its ten; evaluation: the test split from its first row on.
TEST(KnownValues, ABatchIsRowsOfTheDataSet) {
  const auto data = test_dataset();
  for (const bool training : {true, false}) {
    const DatasetSplit& split = training ? data->train : data->test;
    const auto out = evaluate({.node = "batch",
                               .params = {{"batch_size", int64_t{8}}, {"mean", 0.5}, {"std", 0.25}},
                               .training = training,
                               .with_data = true});
    ASSERT_EQ(out.size(), 2u);
    EXPECT_EQ(out[0].dims(), (Dims{8, 1, 4, 4}));
    std::set<int64_t> seen;
    for (int64_t i = 0; i < 8; ++i) {
      const float* x = out[0].as<float>() + i * 16;
      int64_t found = -1;
      for (int64_t row = 0; row < split.count() && found < 0; ++row) {
        bool same = true;
        for (int64_t k = 0; k < 16; ++k)
          same = same && std::abs((split.x.as<uint8_t>()[row * 16 + k] / 255.0 - 0.5) / 0.25 - x[k]) < 1e-5;
        if (same) found = row;
      }
      ASSERT_GE(found, 0) << "sample " << i << " is no row";
      EXPECT_EQ(out[1].as<int64_t>()[i], split.labels.as<int64_t>()[found]);
      // Step 3 of batches of 8: samples 24 to 31 of the run.
      if (!training) {
        EXPECT_EQ(found, (24 + i) % 6);
      } else if (i < 6) {
        EXPECT_TRUE(seen.insert(found).second) << "samples 24 to 29 lie in one epoch of 10";
      }
    }
  }
}

// The gradient that arrives before a Gradient Scale is `factor` times the one after it, and parameters are told.
TEST(KnownValues, GradientScaleScalesAndUnscales) {
  for (const bool unscale : {true, false}) {
    Program program;
    OpBuilder b(program);
    b.set_node("node");
    const Val weight = b.param("weight", DType::f64, {3}, {});
    const NodeType& type = *Registry::instance().find("gradient_scale");
    const ParamMap values{{"factor", 128.0}, {"unscale", unscale}};
    const Params params(type.decl, values);
    TestAssets assets;
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
