// A node's tensors without training: what a run's first forward pass computes, and nothing changed by looking.
#include "engine/field/node_evaluator.h"

#include <gtest/gtest.h>

#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "engine/graph/groups/flatten.h"
#include "engine/plan/train_settings.h"
#include "engine/train/session.h"
#include "tests/engine/group_graphs.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::built;
using test::link;
using test::node;

std::shared_ptr<const NodeInspection> evaluated(const Graph& graph, const std::string& id,
                                                const Weights* weights = nullptr, const char* device = "cpu") {
  test::QuadAssets assets;
  auto on = make_device(device);
  EXPECT_TRUE(on);
  auto evaluator = NodeEvaluator::make(flatten(graph), {id}, assets, *on);
  EXPECT_TRUE(evaluator) << (evaluator ? "" : evaluator.error().text());
  if (!evaluator) return nullptr;
  auto found = (*evaluator)->evaluate(weights, 7);
  EXPECT_TRUE(found) << (found ? "" : found.error().text());
  return found ? found->front() : nullptr;
}

/// Four threes through a linear layer into a viewer.
Graph without_train() {
  return built({AddNode{node("c", "constant", {{"shape", std::vector<double>{4}}, {"value", 3.0}})},
                AddNode{node("l", "linear", {{"out_features", int64_t{2}}})}, AddNode{node("v", "tensor_view")},
                AddLink{link("c.y", "l.x")}, AddLink{link("l.y", "v.x")}});
}

TEST(NodeEvaluator, AGraphWithoutTrainIsComputed) {
  const auto found = evaluated(without_train(), "l");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->evaluated);
  ASSERT_EQ(found->items.size(), 3u);
  EXPECT_EQ(found->items[0].name, "y");
  EXPECT_EQ(found->items[1].name, "weight");
  EXPECT_TRUE(found->items[1].is_param);
  const auto w = found->items[1].value.to_f64(), y = found->items[0].value.to_f64();
  for (size_t row = 0; row < 2; ++row) {
    double sum = found->items[2].value.to_f64()[row];
    for (size_t i = 0; i < 4; ++i) sum += 3 * w[row * 4 + i];
    EXPECT_NEAR(y[row], sum, 1e-5);
  }
}

TEST(NodeEvaluator, AViewerShowsWhatItTakes) {
  const auto viewer = evaluated(without_train(), "v"), source = evaluated(without_train(), "l");
  ASSERT_TRUE(viewer && source);
  ASSERT_EQ(viewer->items.size(), 1u);
  EXPECT_EQ(viewer->items[0].name, "x");
  EXPECT_EQ(viewer->items[0].value.to_f64(), source->items[0].value.to_f64());
}

TEST(NodeEvaluator, WeightsAreThoseGivenAndStayAsTheyAre) {
  const Weights weights{{"l.weight", Tensor::zeros(DType::f32, {2, 4})}, {"l.bias", Tensor::zeros(DType::f32, {2})}};
  const auto found = evaluated(without_train(), "l", &weights);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->items[0].value.to_f64(), (std::vector<double>{0, 0}));
  EXPECT_EQ(weights.at("l.weight").to_f64(), std::vector<double>(8, 0));
}

TEST(NodeEvaluator, TheSameCallOnTheReference) {
  const auto cpu = evaluated(without_train(), "l"), ref = evaluated(without_train(), "l", nullptr, "ref");
  ASSERT_TRUE(cpu && ref);
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(cpu->items[0].value.to_f64()[i], ref->items[0].value.to_f64()[i], 1e-6);
}

TEST(NodeEvaluator, ContinuingFromTheOneBeforeGivesTheSameBits) {
  test::QuadAssets assets;
  const Weights given{{"l.weight", Tensor::zeros(DType::f32, {2, 4})}, {"l.bias", Tensor::zeros(DType::f32, {2})}};
  const auto made = [&](double value) {
    Graph graph = without_train();
    graph.node("c").params["value"] = value;
    return *NodeEvaluator::make(graph, {"l"}, assets, *make_device("cpu"));
  };
  const auto y = [](NodeEvaluator& evaluator, const Weights* weights, uint64_t seed) {
    const auto found = evaluator.evaluate(weights, seed);
    EXPECT_TRUE(found);
    return found->front()->items[0].value.to_f64();
  };
  const auto fresh = [&](double value, const Weights* weights, uint64_t seed) {
    return y(*made(value), weights, seed);
  };
  auto last = made(3);
  EXPECT_EQ(y(*last, nullptr, 7), fresh(3, nullptr, 7));
  const auto next = [&](double value) {
    auto evaluator = made(value);
    evaluator->continue_from(*last);
    last = evaluator;
  };
  next(5);
  EXPECT_EQ(y(*last, nullptr, 7), fresh(5, nullptr, 7));
  next(6);
  EXPECT_EQ(y(*last, nullptr, 8), fresh(6, nullptr, 8)) << "another seed, other initial weights";
  next(7);
  EXPECT_EQ(y(*last, &given, 8), (std::vector<double>{0, 0}));
  next(8);
  EXPECT_EQ(y(*last, nullptr, 8), fresh(8, nullptr, 8)) << "weights that are given no more leave nothing behind";
  EXPECT_EQ(given.at("l.weight").to_f64(), std::vector<double>(8, 0));
}

TEST(NodeEvaluator, NodesInGroupsGoByTheirPaths) {
  const auto found = evaluated(test::grouped(), "one/a/first/linear");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node, "one/a/first/linear");
  EXPECT_FALSE(found->items[0].value.empty());
}

TEST(NodeEvaluator, AnInstanceGivesWhatItsOutputsCarry) {
  const Graph flat = flatten(test::grouped());
  const NodeTensors tensors = tensors_of(flat, "one");
  ASSERT_FALSE(tensors.wires.empty());
  const auto instance = evaluated(test::grouped(), "one"), inside = evaluated(test::grouped(), tensors.wires[0].node);
  ASSERT_TRUE(instance && inside);
  EXPECT_EQ(instance->node, "one");
  ASSERT_EQ(instance->items.size(), tensors.names.size());
  EXPECT_EQ(instance->items[0].name, tensors.names[0]);
  EXPECT_EQ(instance->items[0].value.to_f64(), inside->items[0].value.to_f64());
  EXPECT_TRUE(tensors_of(flat, "nobody").wires.empty());
}

TEST(NodeEvaluator, SeveralNodesAreOneProgram) {
  test::QuadAssets assets;
  auto both = NodeEvaluator::make(without_train(), {"c", "v"}, assets, *make_device("cpu"));
  ASSERT_TRUE(both) << both.error().text();
  const auto found = (*both)->evaluate(nullptr, 7);
  ASSERT_TRUE(found && found->size() == 2);
  EXPECT_EQ((*found)[0]->items[0].value.to_f64(), std::vector<double>(4, 3));
  EXPECT_EQ((*found)[1]->items[0].value.to_f64(), evaluated(without_train(), "v")->items[0].value.to_f64());
  const auto facts = (*both)->facts();
  ASSERT_TRUE(facts.contains("l"));
  const NodeFacts& l = facts.at("l");
  EXPECT_EQ(l.kernels.forward.storage, DType::f32);
  EXPECT_FALSE(l.kernels.forward.implementation.empty());
  EXPECT_EQ(l.memory.outputs, 2 * sizeof(float));
  EXPECT_EQ(l.memory.parameters, (8 + 2) * sizeof(float));
  EXPECT_GT(l.ms, 0);
}

TEST(NodeEvaluator, TheStepIsTheBatch) {
  test::QuadAssets assets;
  const Graph graph =
      built({AddNode{node("r", "random", {{"shape", std::vector<double>{16}}, {"axes", std::string("N")}})}});
  auto made = NodeEvaluator::make(graph, {"r"}, assets, *make_device("cpu"));
  ASSERT_TRUE(made);
  const auto at = [&](uint64_t step) {
    return (*made)->evaluate(nullptr, 7, nullptr, step)->front()->items[0].value.to_f64();
  };
  const auto first = at(0);
  EXPECT_NE(first, at(1));
  EXPECT_EQ(first, at(0));
}

TEST(NodeEvaluator, AGivenValueTakesThePlaceOfAnOutput) {
  test::QuadAssets assets;
  const GivenValues given{{{"c", "y"}, Tensor::from_f64(DType::f32, {4}, {{1, 2, 3, 4}})}};
  auto made =
      NodeEvaluator::make(without_train(), {"l", "c"}, assets, *make_device("cpu"), ForwardMode::evaluation, given);
  ASSERT_TRUE(made) << made.error().text();
  const auto found = (*made)->evaluate(nullptr, 7);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ((*found)[1]->items[0].value.to_f64(), (std::vector<double>{1, 2, 3, 4}));
  const auto y = (*found)[0]->items[0].value.to_f64(), w = (*found)[0]->items[1].value.to_f64(),
             b = (*found)[0]->items[2].value.to_f64();
  EXPECT_NEAR(y[0], w[0] + 2 * w[1] + 3 * w[2] + 4 * w[3] + b[0], 1e-5);
}

TEST(NodeEvaluator, ABypassedNodeHandsThrough) {
  Graph graph = without_train();
  graph.add_node(node("neg", "neg"));
  graph.node("neg").bypassed = true;
  graph.add_link(link("c.y", "neg.x"));
  const auto found = evaluated(graph, "neg");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->items.front().value.to_f64(), std::vector<double>(4, 3));
}

TEST(NodeEvaluator, WhatIsNoTensorIsSaid) {
  test::QuadAssets assets;
  const Graph graph = built({AddNode{node("m", "mesh_source")}});
  const auto none = NodeEvaluator::make(graph, {"m"}, assets, *make_device("cpu"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, codes::kind_mismatch);
  EXPECT_FALSE(NodeEvaluator::make(graph, {"nobody"}, assets, *make_device("cpu")));
}

}  // namespace
}  // namespace hw
