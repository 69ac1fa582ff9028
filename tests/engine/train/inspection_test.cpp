// Inspections: the tensors and gradients of a node, as training stores them, while it runs and at rest.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::inspection_test {
namespace {

using test::link;
using test::texture_for;

std::shared_ptr<const RunSnapshot> trained(Session& session, Graph graph) {
  session.start(std::move(graph), "cpu");
  session.wait();
  return session.snapshot();
}

TEST(Inspection, CarriesTensorsAndGradients) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.inspect("mlp");
  const auto s = trained(session, texture_for(5));
  ASSERT_TRUE(s->inspection);
  EXPECT_EQ(s->inspection->node, "mlp");
  const auto& items = s->inspection->items;
  ASSERT_GE(items.size(), 2u);
  EXPECT_EQ(items.front().name, "y");
  EXPECT_EQ(items.front().value.dims(), (Dims{1024, 3}));
  EXPECT_EQ(items.front().gradient.dims(), (Dims{1024, 3}));
  for (const auto& item : items) {
    const auto values = item.gradient.to_f64();
    EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](double v) { return v != 0; })) << item.name;
  }
  // Another node, while nothing runs.
  session.inspect("hash_grid");
  session.wait();
  const auto at_rest = session.snapshot();
  ASSERT_TRUE(at_rest->inspection);
  EXPECT_EQ(at_rest->inspection->node, "hash_grid");
  EXPECT_EQ(at_rest->inspection->items.front().value.dtype(), DType::f16);
  EXPECT_EQ(at_rest->inspection->items.front().gradient.dtype(), DType::f16);
}

TEST(Inspection, OfAnotherNodeAtRestLeavesTheRunsTimesAndMemory) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  const auto s = trained(session, texture_for(3));
  ASSERT_FALSE(s->node_ms.empty());
  for (const char* node : {"mlp", "hash_grid", ""}) {
    session.inspect(node);
    session.wait();
    EXPECT_EQ(session.snapshot()->node_ms, s->node_ms) << node;
    EXPECT_EQ(session.snapshot()->memory_bytes, s->memory_bytes) << node;
  }
}

/// p [64] → MSE against 1: what the node p puts out is its parameter, number by number.
Graph parameter_alone(const ParamMap& more = {}) {
  const std::vector<double> shape{64};
  ParamMap train{{"steps", int64_t{5}}, {"learning_rate", 0.1}};
  for (const auto& [name, value] : more) train[name] = value;
  return test::built(
      {AddNode{test::node("p", "parameter", {{"shape", shape}, {"init", std::string("normal")}, {"scale", 1.0}})},
       AddNode{test::node("one", "constant", {{"shape", shape}, {"value", 1.0}})}, AddNode{test::node("mse", "mse")},
       AddNode{test::node("train", "train", train)}, AddLink{link("p.y", "mse.prediction")},
       AddLink{link("one.y", "mse.target")}, AddLink{link("mse.loss", "train.loss")}});
}

void expect_one_moment(const std::shared_ptr<const RunSnapshot>& s, uint64_t step) {
  ASSERT_TRUE(s->inspection);
  EXPECT_EQ(s->inspection->step, step);
  std::vector<double> output, parameter, gradient;
  for (const auto& item : s->inspection->items) {
    (item.is_param ? parameter : output) = item.value.to_f64();
    if (item.is_param) gradient = item.gradient.to_f64();
  }
  ASSERT_EQ(output.size(), 64u);
  EXPECT_EQ(output, parameter) << "of the same weights";
  ASSERT_EQ(gradient.size(), 64u);
  for (size_t i = 0; i < gradient.size(); ++i)
    EXPECT_NEAR(gradient[i], 2 * (parameter[i] - 1) / 64, 1e-7) << "and the gradient at these";
}

TEST(Inspection, ShowsOutputsGradientsAndWeightsOfOneMoment) {
  for (const char* device : {"cpu", "ref"})
    for (const int64_t batches : {1, 3}) {
      const Graph graph = parameter_alone({{"accumulate", batches}});
      Session session(std::make_shared<test::QuadAssets>(), nullptr);
      session.inspect("p");
      session.start(graph, device);
      session.wait();
      ASSERT_EQ(session.snapshot()->state, RunState::finished);
      expect_one_moment(session.snapshot(), 4);
      const auto weights = session.snapshot()->weights->at("p.value").to_f64();
      EXPECT_NE(session.snapshot()->inspection->items.front().value.to_f64(), weights) << "those after the update";
      session.step_once();
      session.wait();
      expect_one_moment(session.snapshot(), 5);
      EXPECT_EQ(session.snapshot()->inspection->items.front().value.to_f64(), weights);
    }
}

TEST(Inspection, WhileItRunsAndWhenItPausesToo) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.publish_weights_while_running(false);
  session.inspect("p");
  session.start(parameter_alone(), "cpu", 100'000'000);
  std::shared_ptr<const NodeInspection> seen;
  for (int found = 0; found < 3;) {
    const auto s = session.snapshot();
    ASSERT_NE(s->state, RunState::failed);
    if (!s->inspection || s->inspection == seen) continue;
    seen = s->inspection;
    ++found;
    expect_one_moment(s, seen->step);
  }
  session.pause();
  session.wait();
  const auto paused = session.snapshot();
  ASSERT_TRUE(paused->inspection);
  expect_one_moment(paused, paused->inspection->step);
  EXPECT_GE(paused->inspection->step + 1, paused->step) << "the last step, or the next";
}

TEST(Inspection, AStoredGradientSaysHowItIsScaled) {
  Graph graph = texture_for(2);
  ASSERT_TRUE(apply_edits(graph, {AddNode{test::node("scale", "gradient_scale", {{"factor", 64.0}})},
                                  AddLink{link("cast.y", "scale.x")}, AddLink{link("scale.y", "mlp.x")}}));
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  for (const auto& [node, scale] : {std::pair("hash_grid", 64.0), std::pair("mlp", 1.0)}) {
    session.inspect(node);
    const auto s = trained(session, graph);
    ASSERT_TRUE(s->inspection);
    for (const auto& item : s->inspection->items) EXPECT_EQ(item.gradient_scale, scale) << node << "." << item.name;
  }
}

TEST(Inspection, GradientsAtRestAreThoseOfTheNextStep) {
  Graph graph = texture_for(4);
  ASSERT_TRUE(apply_edits(
      graph, {SetParam{"train", "loss_scaling", std::string("dynamic")}, SetParam{"train", "loss_scale", 1024.0}}));
  Session whole(std::make_shared<test::QuadAssets>(), nullptr), rested(std::make_shared<test::QuadAssets>(), nullptr);
  whole.inspect("hash_grid");
  const auto during = trained(whole, graph)->inspection;
  rested.start(graph, "cpu", 0, true);
  for (int i = 0; i < 3; ++i) {
    rested.step_once();
    rested.wait();
  }
  rested.inspect("hash_grid");
  rested.wait();
  const auto at_rest = rested.snapshot()->inspection;
  ASSERT_TRUE(during && at_rest);
  ASSERT_EQ(rested.snapshot()->step, 3u);
  ASSERT_EQ(during->items.size(), at_rest->items.size());
  for (size_t i = 0; i < during->items.size(); ++i) {
    const auto &a = during->items[i], &b = at_rest->items[i];
    EXPECT_EQ(a.gradient_scale, 1024) << a.name;
    EXPECT_EQ(b.gradient_scale, 1024) << b.name;
    EXPECT_EQ(a.gradient.to_f64(), b.gradient.to_f64()) << a.name;
  }
}

}  // namespace
}  // namespace hw::inspection_test
