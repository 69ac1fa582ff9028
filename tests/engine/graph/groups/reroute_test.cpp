// Reroutes: any wire passes, nothing is computed, and what is wrong is said where it was said without them.
#include "engine/graph/groups/reroute.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/grouping.h"
#include "engine/graph/precision/fix.h"
#include "engine/io/graph/graph_file.h"
#include "engine/plan/training_plan.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::built;
using test::link;
using test::node;
using test::problems;

Graph example(const char* name) {
  auto graph = read_graph(std::filesystem::path(HALFWIRE_EXAMPLES) / (std::string(name) + ".halfwire"));
  EXPECT_TRUE(graph) << graph.error().text();
  return graph ? *graph : Graph();
}

/// A reroute on each output, and another behind it.
void reroute_all(Graph& graph) {
  for (int twice = 0; twice < 2; ++twice) {
    std::vector<CrossedLink> crossed;
    for (const Link& link : graph.links())
      if (graph.find(link.to)->type != kRerouteType) crossed.push_back({link, 40, 80});
    const auto done = apply_edits(graph, add_reroutes(graph, crossed).edits);
    ASSERT_TRUE(done) << done.error().text();
  }
}

std::vector<std::string> ops(const TrainingPlan& plan) {
  std::vector<std::string> all;
  for (const auto& program : plan.programs())
    for (const Instr& i : program->instrs)
      all.push_back(std::to_string(static_cast<int>(i.op)) + " " + program->nodes[i.node] +
                    (i.backward ? " backward" : ""));
  return all;
}

// Tensors of two dtypes, meshes, pictures, fields, a node that looks for what its input is made of: all pass, and what
// trains is op by op what trained before.
TEST(Reroute, OnEveryWireOfAnExampleChangesNoOp) {
  for (const char* name : {"sine", "neural_texture", "photograph", "rotation", "sphere", "image_to_3d"}) {
    SCOPED_TRACE(name);
    Graph graph = example(name);
    const std::string before = problems(flatten(graph));
    test::QuadAssets assets;
    const auto plan = plan_training(flatten(graph), assets);
    ASSERT_TRUE(plan) << plan.error().text();
    ASSERT_NO_FATAL_FAILURE(reroute_all(graph));
    EXPECT_EQ(problems(flatten(graph)), before);
    const auto rerouted = plan_training(flatten(graph), assets);
    ASSERT_TRUE(rerouted) << rerouted.error().text();
    EXPECT_EQ(ops(*rerouted), ops(*plan));
  }
}

TEST(Reroute, StandsOnceForAllCrossedWiresOfAnOutput) {
  Graph graph = built({AddNode{node("a", "constant")}, AddNode{node("b", "constant")}, AddNode{node("add", "add")},
                       AddNode{node("mul", "mul")}, AddLink{link("a.y", "add.a")}, AddLink{link("b.y", "add.b")},
                       AddLink{link("a.y", "mul.a")}, AddLink{link("a.y", "mul.b")}});
  const std::string before = write_graph(graph);
  const NewReroutes made = add_reroutes(
      graph, {{link("a.y", "add.a"), 0, 8}, {link("b.y", "add.b"), 10, 10}, {link("a.y", "mul.b"), 20, 24}});
  ASSERT_EQ(made.nodes.size(), 2u);
  const auto undo = apply_edits(graph, made.edits);
  ASSERT_TRUE(undo);
  EXPECT_EQ(graph.links_from("a").size(), 2u);  // the wire that was not crossed, and one to the reroute
  EXPECT_TRUE(graph.has_link(link("a.y", "mul.a")));
  EXPECT_EQ(graph.links_from(made.nodes[0]).size(), 2u);
  EXPECT_EQ(graph.find(made.nodes[0])->x, 10);
  EXPECT_EQ(graph.find(made.nodes[0])->y, 16);
  EXPECT_EQ(source_of(graph, graph.links_into("mul", "b").front())->from, "a");
  undo_edits(graph, *undo);
  EXPECT_EQ(write_graph(graph), before);
}

TEST(Reroute, LeavesAWrongWireWrongWhereItEnds) {
  Graph graph = test::neural_texture(false);  // f16 into an f32 MLP
  const Link wrong = link("hash_grid.features", "mlp.x");
  ASSERT_TRUE(apply_edits(graph, add_reroutes(graph, {{wrong, 0, 0}}).edits));
  Validator validator;
  validator.reset(graph);
  const Diagnostic* found = validator.of(link("reroute.y", "mlp.x"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->code, codes::dtype_mismatch);
  EXPECT_FALSE(validator.of(link("hash_grid.features", "reroute.x")));
  const auto cast = std::ranges::find(found->remedies, Remedy::Kind::insert_cast, &Remedy::kind);
  ASSERT_NE(cast, found->remedies.end());
  ASSERT_TRUE(apply_edits(graph, cast->edits));
  EXPECT_EQ(problems(graph), "");
}

// A policy sees through reroutes, and through the border of a group: it puts its Casts where the wires are read.
TEST(Reroute, PoliciesSeeThroughIt) {
  for (const Precision& precision :
       {Precision{Policy::negotiate, DType::bf16}, Precision{Policy::autocast, DType::bf16}}) {
    SCOPED_TRACE(name(precision.policy));
    Graph plain = test::neural_texture(false);
    plain.precision = precision;
    Graph rerouted = plain;
    ASSERT_NO_FATAL_FAILURE(reroute_all(rerouted));
    Graph grouped = plain;
    const auto made = make_group(document_scope(grouped), {"mlp", "sigmoid"});
    ASSERT_TRUE(made && apply_edits(grouped, made->edits));
    const size_t wanted = policy_plan(plain).notes.size();
    for (Graph* graph : {&plain, &rerouted, &grouped}) {
      Graph flat = flatten(*graph);
      const PrecisionPlan plan = policy_plan(flat);
      EXPECT_EQ(plan.notes.size(), wanted);
      ASSERT_TRUE(apply_edits(flat, plan.edits));
      EXPECT_EQ(problems(flat), "");
    }
  }
}

TEST(Reroute, TakesAnyWireAndGivesItToNoWrongSocket) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(graph, {AddNode{node("dot", "reroute")}}));
  Validator validator;
  validator.reset(graph);
  EXPECT_FALSE(check_link(graph, validator, link("mesh_source.mesh", "dot.x")));
  EXPECT_FALSE(check_link(graph, validator, link("hash_grid.features", "dot.x")));
  ASSERT_TRUE(apply_edits(graph, {AddLink{link("mesh_source.mesh", "dot.x")}}));
  validator.reset(graph);
  EXPECT_EQ(validator.output_type("dot", "y")->kind, Kind::mesh);
  EXPECT_FALSE(check_link(graph, validator, link("dot.y", "surface_sampler.mesh")));
  const auto refused = check_link(graph, validator, link("dot.y", "mlp.x"));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, codes::kind_mismatch);
}

TEST(Reroute, BypassedItHandsAMeshOn) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(
      apply_edits(graph, add_reroutes(graph, {{link("mesh_source.mesh", "surface_sampler.mesh"), 0, 0}}).edits));
  ASSERT_TRUE(apply_edits(graph, {SetFlags{"reroute", false, true}}));
  EXPECT_EQ(problems(graph), "");
  test::QuadAssets assets;
  EXPECT_TRUE(plan_training(graph, assets));
}

TEST(Reroute, OnTheBorderOfAGroupHasItsSocketsKind) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(
      apply_edits(graph, add_reroutes(graph, {{link("mesh_source.mesh", "surface_sampler.mesh"), 0, 0}}).edits));
  for (const std::set<std::string>& nodes :
       {std::set<std::string>{"reroute"}, {"reroute", "surface_sampler"}, {"mesh_source", "reroute"}}) {
    Graph grouped = graph;
    const auto made = make_group(document_scope(grouped), nodes);
    ASSERT_TRUE(made) << made.error().text();
    ASSERT_TRUE(apply_edits(grouped, made->edits));
    EXPECT_EQ(problems(flatten(grouped)), "");
  }
}

}  // namespace
}  // namespace hw
