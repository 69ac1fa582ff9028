// Chosen precisions become ordinary edits of a valid graph: Casts where dtypes meet, nothing else is touched.
#include "engine/graph/precision/choose_precision.h"

#include <gmock/gmock.h>

#include "engine/graph/groups/flatten.h"
#include "tests/engine/graph_builder.h"

namespace hw::choose_precision_test {
namespace {

using test::link;
using test::node;
using test::problems;
using ::testing::HasSubstr;

Graph after(Graph g, const PrecisionPlan& plan) {
  const auto applied = apply_edits(g, plan.edits);
  EXPECT_TRUE(applied) << applied.error().text();
  EXPECT_EQ(problems(g), "");
  return g;
}

DType output(const Graph& g, const std::string& id, const std::string& socket) {
  Validator v;
  v.reset(g);
  const auto type = v.output_type(id, socket);
  EXPECT_TRUE(type) << id;
  return type ? type->dtype : DType::boolean;
}

size_t casts(const Graph& g) {
  return static_cast<size_t>(
      std::count_if(g.nodes().begin(), g.nodes().end(), [](const auto& e) { return e.second.type == "cast"; }));
}

/// With a Gradient Scale between the encoder and the MLP.
Graph scaled_texture() {
  Graph g = test::neural_texture();
  EXPECT_TRUE(apply_edits(g, {AddNode{node("scale", "gradient_scale")}, RemoveLink{link("cast.y", "mlp.x")},
                              AddLink{link("cast.y", "scale.x")}, AddLink{link("scale.y", "mlp.x")}}));
  return g;
}

TEST(ChoosePrecision, ListsNodesWithADtypeOfTheirOwn) {
  const auto nodes = choosable_nodes(test::neural_texture());
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].node, "hash_grid");
  EXPECT_EQ(nodes[0].now, (NodePrecision{DType::f16, {}}));
  EXPECT_TRUE(nodes[0].computes.empty());
  EXPECT_EQ(nodes[1].node, "mlp");
  EXPECT_FALSE(nodes[1].computes.empty());
}

TEST(ChoosePrecision, FullPrecisionNeedsNoCast) {
  const Graph g = test::neural_texture();
  const Graph full = after(g, choose_precision(g, {{"hash_grid", {DType::f32, {}}}, {"mlp", {DType::f32, {}}}}));
  EXPECT_EQ(casts(full), 0u);
  EXPECT_EQ(output(full, "hash_grid", "features"), DType::f32);
}

TEST(ChoosePrecision, WhatIsThereAlreadyIsNoChange) {
  const Graph g = scaled_texture();
  EXPECT_TRUE(choose_precision(g, {{"hash_grid", {DType::f16, {}}}, {"mlp", {DType::f32, {}}}}).edits.empty());
}

TEST(ChoosePrecision, FollowersFollowAndTheLossStaysWide) {
  const Graph g = scaled_texture();
  const Graph narrow = after(g, choose_precision(g, {{"hash_grid", {DType::f16, {}}}, {"mlp", {DType::bf16, {}}}}));
  EXPECT_EQ(output(narrow, "sigmoid", "y"), DType::bf16);
  EXPECT_EQ(output(narrow, "mse", "loss"), DType::f32);
  EXPECT_EQ(output(narrow, "scale", "y"), DType::bf16) << "the Cast before it turned to what stands behind it";
}

TEST(ChoosePrecision, AGradientIsScaledBeforeItIsNarrowed) {
  Graph g = scaled_texture();
  g = after(g, choose_precision(g, {{"hash_grid", {DType::f32, {}}}, {"mlp", {DType::f32, {}}}}));
  ASSERT_EQ(casts(g), 0u);
  const Graph narrow = after(g, choose_precision(g, {{"hash_grid", {DType::f16, {}}}, {"mlp", {DType::f32, {}}}}));
  EXPECT_EQ(output(narrow, "scale", "y"), DType::f32);
  EXPECT_EQ(casts(narrow), 1u);
}

TEST(ChoosePrecision, ACastThatSaturatesStays) {
  Graph g = test::neural_texture();
  ASSERT_TRUE(apply_edits(
      g, {SetParam{"cast", "saturate", true}, SetParam{"cast", "to", std::string("f16")}, AddNode{node("wide", "cast")},
          RemoveLink{link("cast.y", "mlp.x")}, AddLink{link("cast.y", "wide.x")}, AddLink{link("wide.y", "mlp.x")}}));
  const Graph narrow = after(g, choose_precision(g, {{"hash_grid", {DType::f32, {}}}, {"mlp", {DType::bf16, {}}}}));
  EXPECT_EQ(output(narrow, "cast", "y"), DType::f16);
  EXPECT_EQ(output(narrow, "wide", "y"), DType::bf16);
}

TEST(ChoosePrecision, ProductsAloneCanBeNarrow) {
  const Graph g = test::neural_texture();
  const PrecisionPlan plan = choose_precision(g, {{"mlp", {DType::f32, DType::bf16}}});
  EXPECT_EQ(plan.edits.size(), 1u);
  EXPECT_EQ(param_value(*after(g, plan).find("mlp"), "compute"), ParamValue(std::string("bf16")));
}

TEST(SetPrecision, ChangesTheChosenNodesAlone) {
  const Graph g = scaled_texture();
  const std::vector<std::string> nodes{"mlp"};
  const auto plan = set_precision(g, nodes, DType::bf16);
  ASSERT_TRUE(plan) << plan.error().text();
  const Graph narrow = after(g, *plan);
  EXPECT_EQ(output(narrow, "mlp", "y"), DType::bf16);
  EXPECT_EQ(output(narrow, "scale", "y"), DType::f32);
  EXPECT_EQ(output(narrow, "sigmoid", "y"), DType::f32);
  EXPECT_EQ(casts(narrow), 3u);
  const std::vector<std::string> follower{"sigmoid"};
  const auto around = set_precision(g, follower, DType::f16);
  ASSERT_TRUE(around) << around.error().text();
  EXPECT_EQ(output(after(g, *around), "sigmoid", "y"), DType::f16);
  EXPECT_EQ(output(after(g, *around), "mlp", "y"), DType::f32);
}

TEST(ChoosePrecision, OutputsKeepTheirDtype) {
  for (const auto& [from, to] : {std::pair(DType::f32, DType::f16), {DType::f16, DType::f32}}) {
    const std::string before(name(from));
    const Graph g = test::built({AddNode{node("x", "input", {{"shape", std::vector<double>{4, 8}}, {"dtype", before}})},
                                 AddNode{node("fc", "linear", {{"dtype", before}})}, AddNode{node("relu", "relu")},
                                 AddNode{node("y", "output")}, AddLink{link("x.y", "fc.x")},
                                 AddLink{link("fc.y", "relu.x")}, AddLink{link("relu.y", "y.x")}});
    const std::vector<std::string> nodes{"fc", "relu"};
    const auto chosen = set_precision(g, nodes, to);
    ASSERT_TRUE(chosen) << chosen.error().text();
    for (const PrecisionPlan& plan : {*chosen, choose_precision(g, {{"fc", {to, {}}}})}) {
      const Graph changed = after(g, plan);
      EXPECT_EQ(output(changed, "relu", "y"), to) << before;
      EXPECT_EQ(output(changed, "y", "y"), from) << before;
      EXPECT_EQ(casts(changed), 2u) << "behind the Input and before the Output";
    }
  }
}

/// Token ids go through the group, and a Reroute: neither is a reason to refuse it.
TEST(SetPrecision, AGroupStandsForTheNodesInItThatCan) {
  Group group{"g", "G", {}, {}, ""};
  group.graph = test::built(
      {AddNode{node("ids", "input")}, AddNode{node("table", "embedding")}, AddNode{node("fc", "linear")},
       AddNode{node("turn", "reroute")}, AddNode{node("y", "output")}, AddLink{link("ids.y", "table.index")},
       AddLink{link("table.y", "turn.x")}, AddLink{link("turn.y", "fc.x")}, AddLink{link("fc.y", "y.x")}});
  const Graph document = test::built(
      {SetGroup{group},
       AddNode{node("ids", "input",
                    {{"shape", std::vector<double>{4}}, {"dtype", std::string("i64")}, {"axes", std::string()}})},
       AddNode{node("block", "group:g")}, AddNode{node("head", "linear")}, AddLink{link("ids.y", "block.ids")},
       AddLink{link("block.y", "head.x")}});
  const Graph g = flatten(document);
  const std::vector<std::string> nodes{"block", "head"};
  const auto plan = set_precision(g, nodes, DType::bf16);
  ASSERT_TRUE(plan) << plan.error().text();
  const Graph narrow = after(g, *plan);
  for (const char* id : {"block/table", "block/fc", "head"}) EXPECT_EQ(output(narrow, id, "y"), DType::bf16) << id;
  const std::vector<std::string> unknown{"blo"};
  EXPECT_EQ(set_precision(g, unknown, DType::bf16).error().code, codes::unknown_node);
}

TEST(SetPrecision, Tf32IsAWayToCompute) {
  const Graph g = test::neural_texture();
  const std::vector<std::string> mlp{"mlp"}, sigmoid{"sigmoid"};
  const auto plan = set_precision(g, mlp, DType::tf32);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(param_value(*after(g, *plan).find("mlp"), "compute"), ParamValue(std::string("tf32")));
  const auto refused = set_precision(g, sigmoid, DType::tf32);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::unsupported);
}

TEST(SetPrecision, SaysWhatCannotBe) {
  const Graph g = test::neural_texture();
  for (const auto& [id, code] : {std::pair{"moon", codes::unknown_node}, std::pair{"mesh_source", codes::unsupported},
                                 std::pair{"surface_sampler", codes::unsupported}}) {
    const std::vector<std::string> nodes{id};
    const auto plan = set_precision(g, nodes, DType::bf16);
    ASSERT_FALSE(plan) << id;
    EXPECT_EQ(plan.error().code, code) << id;
    EXPECT_EQ(plan.error().where, id);
    EXPECT_FALSE(plan.error().remedy.empty());
  }
}

TEST(WidenLoss, MeasuresANarrowLossInF32) {
  Graph g = test::neural_texture();
  const std::vector<std::string> tail{"mlp", "sigmoid", "mse"};
  const auto plan = set_precision(g, tail, DType::bf16);
  ASSERT_TRUE(plan) << plan.error().text();
  g = after(g, *plan);
  ASSERT_EQ(output(g, "mse", "loss"), DType::bf16);
  const Graph wide = after(g, widen_loss(g, "train"));
  EXPECT_EQ(output(wide, "mse", "loss"), DType::f32);
  EXPECT_EQ(output(wide, "sigmoid", "y"), DType::bf16);
  EXPECT_TRUE(widen_loss(test::neural_texture(), "train").edits.empty());
}

}  // namespace
}  // namespace hw::choose_precision_test
