// Inspections: the tensors and gradients of a node, as training stores them, while it runs and at rest.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/run/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::link;

Graph graph_with(int64_t steps) {
  Graph graph = test::neural_texture();
  EXPECT_TRUE(apply_edits(
      graph, {SetParam{"train", "steps", ParamValue(steps)}, SetParam{"train", "learning_rate", ParamValue(0.01)}}));
  return graph;
}

std::shared_ptr<const RunSnapshot> trained(Session& session, Graph graph) {
  session.start(std::move(graph), "cpu");
  session.wait();
  return session.snapshot();
}

TEST(Inspection, CarriesTensorsAndGradients) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.inspect("mlp");
  const auto s = trained(session, graph_with(5));
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

TEST(Inspection, AStoredGradientSaysHowItIsScaled) {
  Graph graph = graph_with(2);
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
  Graph graph = graph_with(4);
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
}  // namespace hw
