// Batch norm in a session: running statistics move while training, are handed out with the weights, and stand still
// when a step is only looked at and when the network is evaluated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/field/evaluator.h"
#include "engine/plan/training_plan.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::running_statistics_test {
namespace {

/// The neural texture with a Batch Norm in place of its encoder.
Graph normalised_texture() {
  Graph graph = test::neural_texture();
  const auto applied =
      apply_edits(graph, {RemoveNode{"hash_grid"}, RemoveNode{"cast"}, AddNode{test::node("norm", "batch_norm")},
                          AddLink{test::link("normalise_aabb.y", "norm.x")}, AddLink{test::link("norm.y", "mlp.x")}});
  EXPECT_TRUE(applied) << applied.error().text();
  return graph;
}

std::shared_ptr<const RunSnapshot> trained(Session& session) {
  session.start(normalised_texture(), "cpu");
  session.wait();
  return session.snapshot();
}

TEST(RunningStatistics, move_while_training_alike_at_any_thread_count) {
  std::vector<std::vector<double>> means, variances;
  const int before = thread_count();
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    Session session(std::make_shared<test::QuadAssets>(), nullptr);
    const auto s = trained(session);
    ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
    ASSERT_TRUE(s->weights && s->weights->contains("norm.running_mean") && s->weights->contains("norm.running_var"));
    means.push_back(s->weights->at("norm.running_mean").to_f64());
    variances.push_back(s->weights->at("norm.running_var").to_f64());
  }
  set_thread_count(before);
  EXPECT_EQ(means[0], means[1]);
  EXPECT_EQ(variances[0], variances[1]);
  // Ten steps of rate 0.1 on positions uniform in [0, 1]: 1 − 0.9¹⁰ of the way to ½ and 1/12.
  EXPECT_NEAR(means[0][0], 0.651 * 0.5, 0.02);
  EXPECT_NEAR(variances[0][0], 1 - 0.651 * (1 - 1.0 / 12), 0.02);
}

TEST(RunningStatistics, stand_still_when_a_step_is_only_looked_at) {
  test::QuadAssets assets;
  for (const bool update : {true, false}) {
    const auto plan = plan_training(normalised_texture(), assets, update);
    ASSERT_TRUE(plan) << plan.error().text();
    const auto& instrs = plan->program->instrs;
    EXPECT_EQ(std::any_of(instrs.begin(), instrs.end(), [](const Instr& i) { return i.op == Op::moments_update; }),
              update);
  }
}

TEST(RunningStatistics, serve_in_evaluation_so_that_a_point_needs_no_company) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  const auto s = trained(session);
  auto field = FieldEvaluator::make(normalised_texture(), {{"sigmoid", "y"}, {Channels::color, {"position", "normal"}}},
                                    std::make_shared<test::QuadAssets>(), *make_device("cpu"), 64);
  ASSERT_TRUE(field) << field.error().text();
  ASSERT_TRUE((*field)->set_weights(s->weights, 1));
  const std::array<float, 3> here{0.25f, -0.5f, 0}, there{0.9f, 0.9f, 0}, up{0, 0, 1};
  const auto alone = (*field)->evaluate(std::vector{here}, std::vector{up}, nullptr);
  const auto beside = (*field)->evaluate(std::vector{here, there}, std::vector{up, up}, nullptr);
  ASSERT_TRUE(alone && beside);
  for (size_t c = 0; c < 3; ++c) EXPECT_EQ((*alone)[c], (*beside)[c]);
}

// Frozen means that nothing is learnt: with its mean 7 and variance 4 it makes (9 − 7) / √(4 + 1e-5) of 9, where the
// batch's own statistics would make 0 of it.
TEST(RunningStatistics, of_a_frozen_node_stay_and_serve) {
  Node norm = test::node("norm", "batch_norm");
  norm.frozen = true;
  const Graph graph = test::built(
      {AddNode{test::node("x", "constant", {{"shape", std::vector<double>{4, 1}}, {"value", 9.0}})}, AddNode{norm},
       AddNode{test::node("head", "linear", {{"out_features", int64_t{1}}, {"bias", false}})},
       AddNode{test::node("mean", "mean")}, AddNode{test::node("train", "train", {{"learning_rate", 1e-3}})},
       AddLink{test::link("x.y", "norm.x")}, AddLink{test::link("norm.y", "head.x")},
       AddLink{test::link("head.y", "mean.x")}, AddLink{test::link("mean.y", "train.loss")}});
  Weights weights;
  for (const auto& [name, value] : {std::pair("running_mean", 7.0), std::pair("running_var", 4.0),
                                    std::pair("weight", 1.0), std::pair("bias", 0.0)})
    weights["norm." + std::string(name)] = Tensor::from_f64(DType::f32, {1}, {{value}});
  weights["head.weight"] = Tensor::from_f64(DType::f32, {1, 1}, {{1.0}});
  for (const char* device : {"cpu", "ref"}) {
    Session session(std::make_shared<test::QuadAssets>(), nullptr);
    session.load_weights(std::make_shared<const Weights>(weights));
    session.start(graph, device, 20);
    session.wait();
    const auto s = session.snapshot();
    ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
    EXPECT_NEAR(s->losses->front(), 2 / std::sqrt(4 + 1e-5), 1e-6) << device;
    for (const auto& [name, tensor] : weights) {
      if (!name.starts_with("norm.")) continue;
      EXPECT_EQ(s->weights->at(name).to_f64(), tensor.to_f64()) << device << " " << name;
    }
    EXPECT_NE(s->weights->at("head.weight").to_f64(), std::vector<double>{1.0});
  }
}

// PyTorch: "Expected more than 1 value per channel when training".
TEST(RunningStatistics, one_value_a_channel_is_refused_in_training_alone) {
  const auto graph = [](double rows) {
    return test::built({AddNode{test::node("x", "random", {{"shape", std::vector<double>{rows, 3}}})},
                        AddNode{test::node("norm", "batch_norm")}, AddNode{test::node("mean", "mean")},
                        AddNode{test::node("train", "train")}, AddLink{test::link("x.y", "norm.x")},
                        AddLink{test::link("norm.y", "mean.x")}, AddLink{test::link("mean.y", "train.loss")}});
  };
  test::QuadAssets assets;
  EXPECT_TRUE(plan_training(graph(2), assets, true));
  const auto refused = plan_training(graph(1), assets, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::size_mismatch);
  EXPECT_EQ(refused.error().where, "norm.x");
  const SocketRef y{"norm", "y"};
  EXPECT_TRUE(lower(graph(1), std::span(&y, 1), LowerOptions{}, assets)) << "evaluation reads the running statistics";
}

}  // namespace
}  // namespace hw::running_statistics_test
