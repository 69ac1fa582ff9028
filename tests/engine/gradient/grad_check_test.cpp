// The gradient check: right adjoints pass, planted faults are found and pinned to their node.
#include "engine/gradient/grad_check.h"

#include <gmock/gmock.h>

#include <cmath>

#include "engine/plan/reduced_graph.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_subject.h"

namespace hw {
namespace {

using test::built;
using test::link;
using test::node;
using test::subject_of;

/// Random numbers → linear "first" → GELU → linear "second" → MSE against other random numbers. 24 × 5 numbers.
Graph two_layers(const Edits& more = {}) {
  const std::vector<double> shape{24, 5};
  Edits edits{AddNode{node("x", "random", {{"shape", shape}})},
              AddNode{node("target", "random", {{"shape", shape}})},
              AddNode{node("first", "linear", {{"out_features", int64_t{7}}})},
              AddNode{node("gelu", "gelu")},
              AddNode{node("second", "linear", {{"out_features", int64_t{5}}})},
              AddNode{node("mse", "mse")},
              AddNode{node("train", "train")},
              AddLink{link("x.y", "first.x")},
              AddLink{link("first.y", "gelu.x")},
              AddLink{link("gelu.y", "second.x")},
              AddLink{link("second.y", "mse.prediction")},
              AddLink{link("target.y", "mse.target")},
              AddLink{link("mse.loss", "train.loss")}};
  edits.insert(edits.end(), more.begin(), more.end());
  return built(edits);
}

GradReport checked(const GradSubject& subject) {
  const auto report = check_gradients(subject, {});
  EXPECT_TRUE(report) << report.error().text();
  return report ? *report : GradReport{};
}

const GradResult& result(const GradReport& report, const std::string& name) {
  static const GradResult none;
  for (const GradResult& r : report.results)
    if (r.block.name == name) return r;
  ADD_FAILURE() << "no " << name;
  return none;
}

/// The subject with each backward instruction of `node` handed to `spoil`; at least one says that it spoiled something.
template <class F>
GradSubject spoiled(GradSubject subject, const std::string& node, F spoil) {
  auto program = std::make_shared<Program>(*subject.program);
  bool any = false;
  for (Instr& instr : program->instrs)
    if (instr.backward && program->nodes[instr.node] == node) any = spoil(*program, instr) || any;
  EXPECT_TRUE(any) << "nothing to spoil in " << node;
  subject.program = program;
  return subject;
}

TEST(GradCheck, RightAdjointsPass) {
  const GradReport report = checked(subject_of(two_layers()));
  EXPECT_TRUE(report.passed());
  ASSERT_EQ(report.results.size(), 4u + 3u) << "weights and biases; first.y, gelu.y, second.y";
  for (const GradResult& r : report.results) {
    EXPECT_EQ(r.verdict, GradVerdict::right) << r.block.name;
    EXPECT_GT(r.largest, 1e-4) << r.block.name;
    EXPECT_GE(r.checks, 5u) << r.block.name;
  }
}

// loss = mean(x · stop_gradient(x)): the adjoint x is half of the derivative 2x, and the check says what it left out.
TEST(GradCheck, SaysWhereAStopGradientHoldsSomethingFixed) {
  const Graph graph =
      built({AddNode{node("p", "parameter", {{"shape", std::vector<double>{5}}})},
             AddNode{node("stop", "stop_gradient")}, AddNode{node("mul", "mul")}, AddNode{node("scale", "remap")},
             AddNode{node("mean", "mean")}, AddNode{node("train", "train")}, AddLink{link("p.y", "stop.x")},
             AddLink{link("p.y", "mul.a")}, AddLink{link("stop.y", "mul.b")}, AddLink{link("mul.y", "scale.x")},
             AddLink{link("scale.y", "mean.x")}, AddLink{link("mean.y", "train.loss")}});
  const GradReport report = checked(subject_of(graph));
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(result(report, "p.value").held, std::vector<std::string>{"stop"});
  EXPECT_EQ(result(report, "mul.y").held, std::vector<std::string>{}) << "it lies behind";
  EXPECT_GE(report.count_held(), 1u);
  EXPECT_EQ(checked(subject_of(two_layers())).count_held(), 0u);
}

TEST(GradCheck, HoldsWholeNumbersFixedAsNoGradientPassesThem) {
  const Graph graph =
      built({AddNode{node("p", "parameter", {{"shape", std::vector<double>{5}}})},
             AddNode{node("scale", "constant", {{"value", 1e-7}, {"shape", std::vector<double>{}}})},
             AddNode{node("q", "quantize_linear", {{"axis", int64_t{0}}})},
             AddNode{node("dq", "dequantize_linear", {{"axis", int64_t{0}}})}, AddNode{node("mul", "mul")},
             AddNode{node("mean", "mean")}, AddNode{node("train", "train")}, AddLink{link("p.y", "q.x")},
             AddLink{link("scale.y", "q.scale")}, AddLink{link("q.y", "dq.x")}, AddLink{link("scale.y", "dq.scale")},
             AddLink{link("p.y", "mul.a")}, AddLink{link("dq.y", "mul.b")}, AddLink{link("mul.y", "mean.x")},
             AddLink{link("mean.y", "train.loss")}});
  const GradReport report = checked(subject_of(graph));
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(result(report, "p.value").verdict, GradVerdict::right) << "of the way that passes none of them";
  EXPECT_EQ(result(report, "p.value").held, std::vector<std::string>{"q"});
}

TEST(GradCheck, ALargeBlockIsCheckedAlongDirectionsAndElements) {
  const GradReport report = checked(subject_of(two_layers()));
  EXPECT_EQ(result(report, "first.y").checks, 16u + 32u);
  EXPECT_EQ(result(report, "second.weight").checks, 35u) << "each element";
}

// gelu' with another argument: what GELU hands back is wrong, and all before it.
TEST(GradCheck, AWrongAdjointIsPinnedToItsNode) {
  const auto spoil = [](Program&, Instr& instr) {
    if (instr.op != Op::unary_grad) return false;
    std::get<UnaryAttr>(instr.attr).fn = UnaryFn::tanh;
    return true;
  };
  const GradReport report = checked(spoiled(subject_of(two_layers()), "gelu", spoil));
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(report.suspects, testing::ElementsAre("gelu"));
  EXPECT_EQ(result(report, "first.y").verdict, GradVerdict::wrong);
  EXPECT_FALSE(result(report, "first.y").inherited);
  EXPECT_EQ(result(report, "first.weight").verdict, GradVerdict::wrong);
  EXPECT_TRUE(result(report, "first.weight").inherited);
  EXPECT_EQ(result(report, "second.weight").verdict, GradVerdict::right);
}

TEST(GradCheck, AGradientThatIsSilentlyZeroIsFound) {
  GradSubject subject = subject_of(two_layers());
  for (GradBlock& block : subject.blocks)
    if (block.name == "second.bias") block.gradient = kNoValue;
  const GradReport report = checked(subject);
  EXPECT_EQ(result(report, "second.bias").verdict, GradVerdict::zero);
  EXPECT_THAT(report.suspects, testing::ElementsAre("second"));
}

// A factor of 1 + 0.5 % in one product.
TEST(GradCheck, ASmallFactorIsFound) {
  GradSubject subject = subject_of(two_layers());
  for (GradBlock& block : subject.blocks)
    if (block.name == "first.weight") block.unscale = 1.005;
  const GradReport report = checked(subject);
  EXPECT_EQ(result(report, "first.weight").verdict, GradVerdict::wrong);
  EXPECT_THAT(report.suspects, testing::ElementsAre("first"));
}

TEST(GradCheck, GradientScalesAreUndone) {
  const GradReport report = checked(subject_of(
      two_layers({RemoveLink{link("gelu.y", "second.x")}, AddNode{node("scale", "gradient_scale", {{"factor", 128.0}})},
                  AddLink{link("gelu.y", "scale.x")}, AddLink{link("scale.y", "second.x")}})));
  EXPECT_TRUE(report.passed());
}

// ReLU of exactly 0: the adjoint is that of one side.
TEST(GradCheck, AKinkIsNoFault) {
  const Graph graph =
      built({AddNode{node("w", "parameter", {{"shape", std::vector<double>{40}}, {"init", std::string("uniform")}})},
             AddNode{node("zero", "parameter", {{"shape", std::vector<double>{1}}, {"init", std::string("zeros")}})},
             AddNode{node("both", "concat", {{"axis", int64_t{0}}})}, AddNode{node("relu", "relu")},
             AddNode{node("mean", "mean")}, AddNode{node("train", "train")}, AddLink{link("w.y", "both.a")},
             AddLink{link("zero.y", "both.b")}, AddLink{link("both.y", "relu.x")}, AddLink{link("relu.y", "mean.x")},
             AddLink{link("mean.y", "train.loss")}});
  const GradReport report = checked(subject_of(graph));
  EXPECT_EQ(result(report, "zero.value").kinks, 1u);
  EXPECT_EQ(result(report, "both.y").kinks, 1u);
  EXPECT_TRUE(report.passed());
}

// √ of exactly 0: infinite on one side and NaN on the other. No adjoint is at fault.
TEST(GradCheck, WhereTheLossIsNotFiniteNothingIsReported) {
  const Graph graph = built(
      {AddNode{node("zero", "parameter", {{"shape", std::vector<double>{3}}, {"init", std::string("zeros")}})},
       AddNode{node("twice", "add")}, AddNode{node("root", "sqrt")}, AddNode{node("mean", "mean")},
       AddNode{node("train", "train")}, AddLink{link("zero.y", "twice.a")}, AddLink{link("zero.y", "twice.b")},
       AddLink{link("twice.y", "root.x")}, AddLink{link("root.y", "mean.x")}, AddLink{link("mean.y", "train.loss")}});
  const GradReport report = checked(subject_of(graph));
  EXPECT_EQ(result(report, "zero.value").verdict, GradVerdict::unclear);
  EXPECT_EQ(result(report, "twice.y").verdict, GradVerdict::unclear);
  EXPECT_TRUE(report.passed()) << report.suspects.front();
}

TEST(GradCheck, WhatStopGradientHandsOnStaysAsItIs) {
  const GradReport report = checked(subject_of(
      two_layers({RemoveLink{link("target.y", "mse.target")}, AddNode{node("stop", "stop_gradient")},
                  AddNode{node("again", "linear", {{"out_features", int64_t{5}}})}, AddLink{link("gelu.y", "stop.x")},
                  AddLink{link("stop.y", "again.x")}, AddLink{link("again.y", "mse.target")}})));
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(result(report, "again.weight").verdict, GradVerdict::right);
}

// All inputs of the ReLU are negative.
TEST(GradCheck, ADeadGradientIsNamed) {
  const Graph graph = built(
      {AddNode{node("w", "parameter", {{"shape", std::vector<double>{5}}, {"init", std::string("zeros")}})},
       AddNode{node("down", "remap", {{"to_min", -1.0}, {"to_max", 0.0}})}, AddNode{node("relu", "relu")},
       AddNode{node("mean", "mean")}, AddNode{node("train", "train")}, AddLink{link("w.y", "down.x")},
       AddLink{link("down.y", "relu.x")}, AddLink{link("relu.y", "mean.x")}, AddLink{link("mean.y", "train.loss")}});
  const GradReport report = checked(subject_of(graph));
  EXPECT_EQ(result(report, "w.value").verdict, GradVerdict::dead);
  EXPECT_TRUE(report.passed());
}

// The longest step that 1e-6 could be is nothing beside such numbers.
TEST(GradCheck, HugeValuesAreJudgedByTheirOwnSize) {
  const GradReport report = checked(subject_of(two_layers(
      {RemoveLink{link("gelu.y", "second.x")}, AddNode{node("up", "remap", {{"to_min", 0.0}, {"to_max", 1e15}})},
       AddLink{link("gelu.y", "up.x")}, AddLink{link("up.y", "second.x")}})));
  EXPECT_TRUE(report.passed());
  for (const GradResult& r : report.results) {
    if (r.block.name == "second.bias") continue;  // nothing beside such values
    EXPECT_EQ(name(r.verdict), "right") << r.block.name;
  }
}

// A causal mask of −3.4e38 is added before a softmax: it sizes no step of the scores beside it.
TEST(GradCheck, AMaskSizesNoStep) {
  const std::vector<double> shape{24, 5};
  const auto masked = [&] {
    GradSubject subject = subject_of(two_layers(
        {RemoveLink{link("second.y", "mse.prediction")},
         AddNode{node("mask", "parameter", {{"shape", shape}, {"trainable", false}})}, AddNode{node("add", "add")},
         AddNode{node("softmax", "softmax")}, AddLink{link("second.y", "add.a")}, AddLink{link("mask.y", "add.b")},
         AddLink{link("add.y", "softmax.x")}, AddLink{link("softmax.y", "mse.prediction")}}));
    std::vector<double> values(24 * 5);
    for (size_t i = 0; i < values.size(); ++i) values[i] = i % 5 > i / 5 % 5 ? -3.4e38 : 0;
    subject.states["mask.value"] = Tensor::from_f64(DType::f32, {24, 5}, values);
    return subject;
  };
  const GradReport report = checked(masked());
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(name(result(report, "add.y").verdict), "right");
  EXPECT_GT(result(report, "add.y").largest, 1e-4);

  const GradReport wrong = checked(spoiled(masked(), "softmax", [](Program&, Instr& instr) {
    if (instr.op != Op::softmax_grad) return false;
    instr.in[1] = instr.in[0];
    return true;
  }));
  EXPECT_FALSE(wrong.passed());
  EXPECT_EQ(name(result(wrong, "add.y").verdict), "wrong");
  EXPECT_THAT(wrong.suspects, testing::ElementsAre("softmax"));
}

// What is added before a batch norm is taken away by it: only rounding is left of the gradient.
TEST(GradCheck, ABiasBeforeABatchNormIsDead) {
  const GradReport report =
      checked(subject_of(two_layers({RemoveLink{link("first.y", "gelu.x")}, AddNode{node("norm", "batch_norm")},
                                     AddLink{link("first.y", "norm.x")}, AddLink{link("norm.y", "gelu.x")}})));
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(result(report, "first.bias").verdict, GradVerdict::dead);
  EXPECT_EQ(result(report, "first.weight").verdict, GradVerdict::right);
}

TEST(GradCheck, SourcesDrawFewerSamplesAndTablesShrink) {
  const Graph graph = built({AddNode{node("sampler", "surface_sampler", {{"points", int64_t{5000}}})},
                             AddNode{node("few", "surface_sampler", {{"points", int64_t{3}}})},
                             AddNode{node("grid", "hash_grid")}, AddNode{node("train", "train")}});
  const auto declared = declared_samples(graph);
  ASSERT_TRUE(declared);
  const ReducedGraph fewer = reduce_graph(graph, *declared, true);
  EXPECT_EQ(param_value(*fewer.graph.find("sampler"), "points"), ParamValue(int64_t{32}));
  EXPECT_EQ(param_value(*fewer.graph.find("few"), "points"), ParamValue(int64_t{3}));
  EXPECT_EQ(param_value(*fewer.graph.find("grid"), "log2_table"), ParamValue(int64_t{12}));
  ASSERT_EQ(fewer.reductions.size(), 2u);
  EXPECT_EQ(fewer.reductions[0].node, "grid");
  EXPECT_EQ(fewer.reductions[0].from, 19);
  EXPECT_EQ(fewer.reductions[1].param, "points");
  EXPECT_EQ(fewer.reductions[1].to, 32);
  EXPECT_EQ(reduce_graph(graph, 32, false).reductions.size(), 1u) << "tables stay";
}

TEST(GradCheck, ALossThatIsNotFiniteIsRefused) {
  const Graph graph =
      built({AddNode{node("w", "parameter", {{"shape", std::vector<double>{5}}, {"init", std::string("zeros")}})},
             AddNode{node("log", "log")}, AddNode{node("mean", "mean")}, AddNode{node("train", "train")},
             AddLink{link("w.y", "log.x")}, AddLink{link("log.y", "mean.x")}, AddLink{link("mean.y", "train.loss")}});
  const auto report = check_gradients(subject_of(graph), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, codes::not_finite);
}

}  // namespace
}  // namespace hw
