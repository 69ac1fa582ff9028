// Sessions: training lowers the loss, is deterministic, survives edits, and hands out what it promises.
#include "engine/train/session.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/core/parallel.h"
#include "engine/core/tensor_statistics.h"
#include "engine/devices/devices.h"
#include "engine/field/evaluator.h"
#include "engine/plan/training_plan.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::session_test {
namespace {

using test::link;
using test::texture_for;

/// Waits until the session has done `step` steps; false when it ends, fails or a minute passes first.
bool reaches_step(const Session& session, uint64_t step) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (session.snapshot()->step < step) {
    const RunState state = session.snapshot()->state;
    if (state == RunState::failed || state == RunState::finished || std::chrono::steady_clock::now() > deadline)
      return false;
    std::this_thread::yield();
  }
  return true;
}

std::shared_ptr<const RunSnapshot> trained(Session& session, Graph graph, const std::string& device = "cpu") {
  session.start(std::move(graph), device);
  session.wait();
  return session.snapshot();
}

TEST(Session, TrainsToTheEndAndTheLossFalls) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  const auto s = trained(session, texture_for(150));
  ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  EXPECT_EQ(s->step, 150u);
  ASSERT_EQ(s->losses->size(), 150u);
  EXPECT_LT(s->losses->back(), s->losses->front() / 10);
  EXPECT_GT(s->samples_per_s, 0);
  EXPECT_TRUE(s->node_ms.contains("hash_grid"));
  ASSERT_TRUE(s->weights);
  EXPECT_TRUE(s->weights->contains("hash_grid.table"));
  EXPECT_EQ(s->weights->at("hash_grid.table").dtype(), DType::f16);
}

TEST(Session, SameSeedSameBitsAtAnyThreadCount) {
  std::vector<std::vector<float>> losses;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    Session session(std::make_shared<test::QuadAssets>(), nullptr);
    losses.push_back(*trained(session, texture_for(20))->losses);
  }
  set_thread_count(2);
  ASSERT_EQ(losses.front().size(), 20u);
  for (const auto& other : losses) EXPECT_EQ(other, losses.front());
}

TEST(Session, ContinuesWhereItWasAfterARunEnded) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  trained(session, texture_for(10));
  const auto s = trained(session, texture_for(10));
  EXPECT_EQ(s->step, 20u);
  Session whole(std::make_shared<test::QuadAssets>(), nullptr);
  EXPECT_EQ(*trained(whole, texture_for(20))->losses, *s->losses);
}

TEST(Session, GoesOnToTheEndOfARunThatWasStopped) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(texture_for(40), "cpu", 0, true);
  session.step_once();
  ASSERT_TRUE(reaches_step(session, 1));
  session.stop();
  session.wait();
  EXPECT_EQ(trained(session, texture_for(40))->step, 40u);
  EXPECT_EQ(trained(session, texture_for(40))->step, 80u) << "another run";
  EXPECT_EQ(trained(session, texture_for(60))->step, 100u) << "counted from where the run began";
  EXPECT_EQ(trained(session, texture_for(30))->step, 130u);
}

TEST(Session, AStructuralEditKeepsUnchangedParameters) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  trained(session, texture_for(10));
  const Tensor table = session.snapshot()->weights->at("hash_grid.table");
  Graph wider = texture_for(0 + 1);
  ASSERT_TRUE(apply_edits(wider, {SetParam{"mlp", "width", ParamValue(int64_t{16})},
                                  SetParam{"train", "learning_rate", ParamValue(1e-12)}}));
  const auto s = trained(session, wider);
  ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  EXPECT_THAT(s->notes, testing::Contains(testing::HasSubstr("mlp.")));
  EXPECT_THAT(s->notes, testing::Not(testing::Contains(testing::HasSubstr("hash_grid.table"))));
  EXPECT_EQ(s->weights->at("hash_grid.table").to_f64(), table.to_f64());
}

/// The quad, `x` times as wide.
struct WideningAssets : test::QuadAssets {
  std::atomic<float> x{1};
  Result<std::shared_ptr<const Mesh>> mesh(const std::string&) override {
    auto wide = std::make_shared<Mesh>(*test::textured_quad());
    for (auto& position : wide->positions) position[0] *= x;
    return std::shared_ptr<const Mesh>(std::move(wide));
  }
};

TEST(Session, AFileThatChangedIsReadAgainAndTheWeightsStay) {
  const auto assets = std::make_shared<WideningAssets>();
  Session session(assets, nullptr);
  session.inspect("surface_sampler");
  const auto reach = [&] {
    const auto s = session.snapshot();
    for (const NodeInspection::Item& item : s->inspection ? s->inspection->items : std::vector<NodeInspection::Item>())
      if (item.name == "position") return measure(item.value).max;
    return 0.0;
  };
  session.start(texture_for(100000), "cpu");
  ASSERT_TRUE(reaches_step(session, 3));
  session.pause();
  session.wait();
  const auto before = session.snapshot();
  EXPECT_GT(reach(), 0.9);
  EXPECT_LE(reach(), 1);
  assets->x = 3;
  session.reload_files();
  session.wait();
  const auto after = session.snapshot();
  EXPECT_EQ(after->state, RunState::paused) << "it goes on as it was";
  EXPECT_EQ(after->step, before->step);
  EXPECT_EQ(after->weights->at("hash_grid.table").to_f64(), before->weights->at("hash_grid.table").to_f64());
  session.step_once();
  session.wait();
  EXPECT_GT(reach(), 2) << "the next step samples the new mesh";
  EXPECT_EQ(session.snapshot()->step, before->step + 1);

  Session idle(assets, nullptr);
  idle.reload_files();
  idle.wait();
  EXPECT_EQ(idle.snapshot()->state, RunState::idle) << "nothing to do where nothing was lowered";
}

TEST(Session, AWrongEditPausesAndAMendedOneGoesOn) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(texture_for(100000), "cpu");
  ASSERT_TRUE(reaches_step(session, 3));
  Graph broken = texture_for(100000);
  ASSERT_TRUE(apply_edits(broken, {RemoveLink{link("cast.y", "mlp.x")}}));
  session.update_graph(broken);
  session.wait();
  auto s = session.snapshot();
  EXPECT_EQ(s->state, RunState::paused);
  ASSERT_TRUE(s->error);
  EXPECT_EQ(s->error->code, codes::missing_input);
  EXPECT_EQ(s->error->where, "mlp.x");
  const uint64_t step = s->step;
  session.update_graph(texture_for(100000));
  ASSERT_TRUE(reaches_step(session, step + 3));
  session.stop();
  session.wait();
  EXPECT_EQ(session.snapshot()->state, RunState::idle);
  EXPECT_FALSE(session.snapshot()->error);
}

TEST(Session, StopEndsARunThatAWrongEditHolds) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(texture_for(100000), "cpu");
  ASSERT_TRUE(reaches_step(session, 3));
  Graph broken = texture_for(100000);
  ASSERT_TRUE(apply_edits(broken, {RemoveLink{link("cast.y", "mlp.x")}}));
  session.update_graph(broken);
  session.wait();
  ASSERT_EQ(session.snapshot()->state, RunState::paused);
  session.stop();
  session.wait();
  EXPECT_EQ(session.snapshot()->state, RunState::idle);
  EXPECT_FALSE(session.snapshot()->error);
  const uint64_t step = session.snapshot()->step;
  session.update_graph(texture_for(100000));
  session.wait();
  EXPECT_EQ(session.snapshot()->state, RunState::idle) << "a mended graph does not run by itself";
  EXPECT_EQ(session.snapshot()->step, step);
  session.step_once();
  session.wait();
  EXPECT_EQ(session.snapshot()->step, step + 1);
}

TEST(Session, AfterAResetAWrongEditIsForgotten) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(texture_for(100000), "cpu");
  ASSERT_TRUE(reaches_step(session, 3));
  Graph broken = texture_for(100000);
  ASSERT_TRUE(apply_edits(broken, {RemoveLink{link("cast.y", "mlp.x")}}));
  session.update_graph(broken);
  session.wait();
  session.reset();
  EXPECT_EQ(session.snapshot()->step, 0u) << "nothing of what was forgotten is handed out";
  EXPECT_FALSE(session.snapshot()->error);
  session.wait();
  session.update_graph(texture_for(100000));
  session.wait();
  EXPECT_EQ(session.snapshot()->state, RunState::idle);
  EXPECT_EQ(session.snapshot()->step, 0u);
}

TEST(Session, ResetForgetsWhatWasAskedBefore) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  for (int i = 0; i < 20; ++i) {
    session.start(texture_for(100000), "cpu");
    session.reset();
    session.wait();
    ASSERT_EQ(session.snapshot()->state, RunState::idle);
    ASSERT_EQ(session.snapshot()->step, 0u);
    ASSERT_FALSE(session.snapshot()->weights);
  }
}

TEST(Session, APausedStartWaitsForItsFirstStep) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(texture_for(100), "cpu", 0, true);
  session.wait();
  EXPECT_EQ(session.snapshot()->state, RunState::paused);
  EXPECT_EQ(session.snapshot()->step, 0u);
  session.step_once();
  session.wait();
  EXPECT_EQ(session.snapshot()->state, RunState::paused);
  EXPECT_EQ(session.snapshot()->step, 1u);
}

TEST(Session, ErrorsNameTheNode) {
  struct Case {
    Edits edits;
    const char* code;
    const char* where;
  };
  const Case cases[] = {
      {{SetParam{"mesh_source", "path", ParamValue(std::string("missing"))}}, codes::asset_missing, "mesh_source"},
      {{RemoveNode{"train"}}, codes::no_trainer, ""},
      {{RemoveLink{link("mse.loss", "train.loss")}}, codes::missing_input, "train.loss"},
      {{AddLink{link("mlp.y", "mse.prediction")}, SetParam{"train", "optimiser", ParamValue(std::string("sgd"))},
        SetParam{"train", "learning_rate", ParamValue(100.0)}},
       codes::not_finite,
       "hash_grid.table"},  // its update overflows before the loss does
  };
  for (const Case& c : cases) {
    Session session(std::make_shared<test::QuadAssets>(), nullptr);
    Graph graph = texture_for(50);
    ASSERT_TRUE(apply_edits(graph, c.edits));
    const auto s = trained(session, graph);
    EXPECT_EQ(s->state, RunState::failed);
    ASSERT_TRUE(s->error) << c.code;
    EXPECT_EQ(s->error->code, c.code) << s->error->text();
    EXPECT_TRUE(s->error->where.starts_with(c.where)) << s->error->text();
    EXPECT_FALSE(s->error->reason.empty());
    EXPECT_FALSE(s->error->remedy.empty()) << s->error->text();
  }
}

TEST(Session, AWeightStoredOtherwiseIsAnotherStructure) {
  const Graph graph = texture_for(3);
  Graph stored = graph, moved = graph;
  ASSERT_TRUE(apply_edits(stored, {SetWeight{"mlp", "layer_0", WeightFormat{DType::bf16, true, false}}}));
  ASSERT_TRUE(apply_edits(moved, {MoveNode{"mlp", 7, 7}, SetLabel{"mlp", "net"}}));
  EXPECT_FALSE(same_structure(graph, stored));
  EXPECT_TRUE(same_structure(graph, moved));
}

TEST(Session, SamplesOfARandomSourceAreCounted) {
  Graph graph;
  ASSERT_TRUE(apply_edits(
      graph,
      {AddNode{test::node("x", "random", {{"shape", std::vector<double>{96, 1}}})},
       AddNode{test::node("noise", "random", {{"shape", std::vector<double>{4096}}, {"axes", std::string("C")}})},
       AddNode{test::node("line", "linear", {{"out_features", int64_t{1}}})}, AddNode{test::node("loss", "mse")},
       AddNode{test::node("train", "train")}, AddLink{link("x.y", "line.x")},
       AddLink{link("line.y", "loss.prediction")}, AddLink{link("x.y", "loss.target")},
       AddLink{link("loss.loss", "train.loss")}}));
  test::QuadAssets assets;
  const auto plan = plan_training(graph, assets);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->batch, 96);
}

TEST(Session, WeightsOfAFailedStepAreNotHandedOut) {
  Graph graph = texture_for(50);
  ASSERT_TRUE(apply_edits(
      graph, {AddLink{link("mlp.y", "mse.prediction")}, SetParam{"train", "optimiser", ParamValue(std::string("sgd"))},
              SetParam{"train", "learning_rate", ParamValue(100.0)}}));
  const auto finite = [](const RunSnapshot& s) {
    for (const auto& [name, tensor] : s.weights ? *s.weights : Weights()) {
      const TensorStatistics of = measure(tensor);
      if (of.finite() < of.count) return false;
    }
    return true;
  };
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  std::shared_ptr<const Checkpoint> checkpoint;
  ASSERT_EQ(trained(session, graph)->state, RunState::failed);
  session.step_once();
  session.wait();
  EXPECT_TRUE(finite(*session.snapshot())) << "after step_once";
  session.stop();
  session.wait();
  EXPECT_TRUE(finite(*session.snapshot())) << "after stop";
  // A structural edit pauses what failed; the states are those from before the step that failed.
  ASSERT_EQ(trained(session, graph)->state, RunState::failed);
  ASSERT_TRUE(apply_edits(graph, {SetParam{"surface_sampler", "points", ParamValue(int64_t{77})}}));
  session.update_graph(graph);
  session.take_checkpoint([&](std::shared_ptr<const Checkpoint> c) { checkpoint = std::move(c); });
  session.stop();
  session.wait();
  EXPECT_TRUE(finite(*session.snapshot())) << "after an edit";
  ASSERT_TRUE(checkpoint);
  for (const auto& [name, tensor] : checkpoint->states)
    EXPECT_EQ(measure(tensor).finite(), measure(tensor).count) << name;
}

Field colour_of(const SocketRef& wire) {
  return {wire, {Channels::color, {"position", "normal"}}};
}

/// What is looked at between steps is what the next step will compute, loss scale included.
TEST(Session, AFieldIsTheNetwork) {
  auto assets = std::make_shared<test::QuadAssets>();
  Session session(assets, nullptr);
  const Graph graph = texture_for(300);
  const auto s = trained(session, graph);
  const auto field = FieldEvaluator::make(graph, colour_of({"sigmoid", "y"}), assets, *make_device("cpu"), 256);
  ASSERT_TRUE(field) << field.error().text();
  ASSERT_TRUE((*field)->set_weights(s->weights, 0));
  EXPECT_EQ((*field)->channels(), Channels::color);
  std::vector<std::array<float, 3>> points, normals;
  for (int i = 0; i < 1000; ++i) points.push_back({static_cast<float>(i) / 1000, 0.5f, 0});
  normals.assign(points.size(), {0, 0, 1});
  const auto colours = (*field)->evaluate(points, normals);
  ASSERT_TRUE(colours);
  // The picture's red channel rises along x.
  EXPECT_NEAR((*colours)[3 * 300], 30 * (0.3f * 8 - 0.5f) / 255, 0.05);
  EXPECT_NEAR((*colours)[3 * 700], 30 * (0.7f * 8 - 0.5f) / 255, 0.05);
  Weights zero = *s->weights;
  for (auto& [name, tensor] : zero) tensor = Tensor::zeros(tensor.dtype(), tensor.dims());
  ASSERT_TRUE((*field)->set_weights(std::make_shared<Weights>(zero), 0));
  const auto flat = (*field)->evaluate(points, normals);
  for (const float v : *flat) EXPECT_EQ(v, 0.5f);
  // Without weights: the initial ones, whatever was in before.
  const auto fresh = FieldEvaluator::make(graph, colour_of({"sigmoid", "y"}), assets, *make_device("cpu"), 256);
  ASSERT_TRUE((*fresh)->set_weights(nullptr, 0));
  ASSERT_TRUE((*field)->set_weights(nullptr, 0));
  EXPECT_EQ(*(*field)->evaluate(points, normals), *(*fresh)->evaluate(points, normals));
}

TEST(Session, WhatIsNoFieldIsRefused) {
  const Graph graph = texture_for(1);
  auto assets = std::make_shared<test::QuadAssets>();
  const auto color = FieldEvaluator::make(graph, colour_of({"surface_sampler", "color"}), assets, *make_device("cpu"));
  ASSERT_FALSE(color);
  EXPECT_EQ(color.error().code, codes::not_a_field);
  const auto loss = FieldEvaluator::make(graph, colour_of({"mse", "loss"}), assets, *make_device("cpu"));
  ASSERT_FALSE(loss);
  EXPECT_EQ(loss.error().code, codes::not_a_field);
}

/// Zeros under a root: the loss is 0 and finite, its gradient is not. `accumulate`: the update is a program of its own.
Graph root_of_zero(int64_t accumulate, const std::string& device) {
  const ParamValue shape = std::vector<double>{4};
  Graph graph = test::built(
      {AddNode{test::node("theta", "parameter", {{"shape", shape}, {"init", std::string("zeros")}})},
       AddNode{test::node("root", "sqrt")}, AddNode{test::node("mean", "mean")},
       AddNode{test::node("train", "train", {{"steps", int64_t{1}}, {"accumulate", accumulate}})},
       AddLink{link("theta.y", "root.x")}, AddLink{link("root.y", "mean.x")}, AddLink{link("mean.y", "train.loss")}});
  if (!device.empty()) {
    EXPECT_TRUE(apply_edits(graph, {SetDevice{"root", device}}));
  }
  return graph;
}

TEST(Session, TheLastUpdateIsJudged) {
  for (const char* device : {"cpu", "ref"})
    for (const int64_t accumulate : {1, 2})
      for (const char* pin : {"", "ref"}) {
        SCOPED_TRACE(std::string(device) + " " + std::to_string(accumulate) + " " + pin);
        Session session(std::make_shared<test::QuadAssets>(), nullptr);
        std::vector<std::shared_ptr<const Checkpoint>> made;
        session.checkpoint_every(1, [&](std::shared_ptr<const Checkpoint> c) { made.push_back(std::move(c)); });
        const auto s = trained(session, root_of_zero(accumulate, pin), device);
        ASSERT_EQ(s->state, RunState::failed);
        EXPECT_EQ(s->error->code, codes::not_finite);
        EXPECT_EQ(s->error->where, "theta.value");
        EXPECT_THAT(s->error->reason, ::testing::HasSubstr("step 1 made 4 of its elements Inf or NaN"));
        EXPECT_EQ(s->step, 0u);
        EXPECT_TRUE(made.empty());
        ASSERT_TRUE(s->weights) << "those from before the step";
        EXPECT_EQ(s->weights->at("theta.value").to_f64(), std::vector<double>(4, 0));
      }
}

}  // namespace
}  // namespace hw::session_test
