// Groups made, dissolved and edited: what runs stays what it was, and undo brings back every byte.
#include "engine/graph/groups/group_edits.h"

#include <gmock/gmock.h>

#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/groups/grouping.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/group_graphs.h"

namespace hw::group_edits_test {
namespace {

using test::built;
using test::grouped;
using test::link;
using test::node;
using test::normal_numbers;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// data → first → relu → second → mse ← data, with data read twice.
Graph chain() {
  Graph graph = built({AddNode{normal_numbers("data", {64, 3}, "N C")}, AddNode{node("first", "linear")},
                       AddNode{node("relu", "relu")}, AddNode{node("second", "linear", {{"out_features", int64_t{3}}})},
                       AddNode{node("mse", "mse")}, AddNode{node("train", "train")}, AddLink{link("data.y", "first.x")},
                       AddLink{link("first.y", "relu.x")}, AddLink{link("relu.y", "second.x")},
                       AddLink{link("second.y", "mse.prediction")}, AddLink{link("data.y", "mse.target")},
                       AddLink{link("mse.loss", "train.loss")}});
  double x = 0;
  for (const char* id : {"data", "first", "relu", "second", "mse", "train"}) graph.node(id).x = x += 300;
  return graph;
}

TEST(GroupEdits, AGroupOfNodesHasASocketForEachWireAcrossItsBorder) {
  Graph graph = chain();
  const auto made = make_group(document_scope(graph), {"first", "relu", "second"});
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(apply_edits(graph, made->edits));
  const Node* instance = graph.find(made->instance);
  ASSERT_TRUE(instance);
  const Group* group = graph.find_group(*group_of(*instance));
  ASSERT_TRUE(group);
  EXPECT_EQ(group->graph.nodes().size(), 5u);  // three, an Input, an Output
  const NodeDecl decl = interface_of(graph, *group);
  ASSERT_EQ(decl.inputs().size(), 1u);
  ASSERT_EQ(decl.outputs().size(), 1u);
  EXPECT_EQ(instance->x, 900);  // where its nodes were
  const Graph flat = flatten(graph);
  EXPECT_EQ(test::problems(flat), "");
  // The same network, an Input and an Output on its way.
  EXPECT_EQ(flat.links_into(made->instance + "/first").size(), 1u);
  EXPECT_TRUE(flat.has_link({made->instance + "/first", "y", made->instance + "/relu", "x"}));
}

TEST(GroupEdits, AnOutputThatIsReadTwiceIsOneSocket) {
  Graph graph = chain();
  const auto made = make_group(document_scope(graph), {"first", "mse"});
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(apply_edits(graph, made->edits));
  // data feeds two nodes of it by one socket; second.y comes in by another.
  EXPECT_EQ(graph.links_into(made->instance).size(), 2u);
  EXPECT_EQ(test::problems(flatten(graph)), "");
}

TEST(GroupEdits, UngroupBringsBackTheGraph) {
  const Graph before = chain();
  Graph graph = before;
  const auto made = make_group(document_scope(graph), {"first", "relu", "second"});
  ASSERT_TRUE(made);
  ASSERT_TRUE(apply_edits(graph, made->edits));
  const auto done = ungroup(document_scope(graph), {made->instance});
  ASSERT_TRUE(done) << done.error().text();
  ASSERT_TRUE(apply_edits(graph, done->edits));
  EXPECT_TRUE(graph.groups().empty());  // nobody uses the definition any more
  EXPECT_EQ(write_graph(graph), write_graph(before));
  EXPECT_THAT(done->nodes, ElementsAre("first", "relu", "second"));
}

TEST(GroupEdits, AnInstanceKeepsItsValuesWhenItIsUngrouped) {
  Graph graph = grouped();
  const auto done = ungroup(document_scope(graph), {"two"});
  ASSERT_TRUE(done) << done.error().text();
  ASSERT_TRUE(apply_edits(graph, done->edits));
  EXPECT_TRUE(graph.find_group("tower"));  // "one" is there still
  EXPECT_EQ(test::problems(flatten(graph)), "");
  EXPECT_EQ(std::get<int64_t>(graph.find("b")->params.at("width")), 5);
}

TEST(GroupEdits, EditsOfAGroupChangeItsDefinition) {
  Graph graph = grouped();
  const Graph before = graph;
  const NodePlace place(graph, "one/b/second/");
  const auto edits =
      document_edits_at(place.scope(), {AddNode{node("tanh", "tanh")}, RemoveLink{link("linear.y", "relu.x")},
                                        AddLink{link("linear.y", "tanh.x")}, AddLink{link("tanh.y", "relu.x")},
                                        MoveNode{"relu", 400, 8}});
  ASSERT_TRUE(edits) << edits.error().text();
  const auto inverse = apply_edits(graph, *edits);
  ASSERT_TRUE(inverse) << inverse.error().text();
  const Graph flat = flatten(graph);
  EXPECT_EQ(test::problems(flat), "");
  for (const char* path : {"one/a/first/tanh", "two/b/second/tanh"}) EXPECT_TRUE(flat.find(path)) << path;
  undo_edits(graph, *inverse);
  EXPECT_EQ(write_graph(graph), write_graph(before));
}

TEST(GroupEdits, AValueThatAnInstanceGivesChangesAtTheInstance) {
  Graph graph = grouped();
  const NodePlace place(graph, "two/b/second/");
  const auto given = document_edits_at(place.scope(), {SetParam{"linear", "out_features", ParamValue(int64_t{7})}});
  ASSERT_TRUE(given);
  ASSERT_TRUE(apply_edits(graph, *given));
  EXPECT_EQ(std::get<int64_t>(graph.find("two")->params.at("width")), 7);
  EXPECT_EQ(std::get<int64_t>(graph.find_group("unit")->graph.find("linear")->params.at("out_features")), 8);
  // Where no instance gives it, it is the definition's.
  const NodePlace other(graph, "one/a/first/");
  const auto own = document_edits_at(other.scope(), {SetParam{"linear", "out_features", ParamValue(int64_t{6})}});
  ASSERT_TRUE(own);
  ASSERT_TRUE(apply_edits(graph, *own));
  EXPECT_EQ(std::get<int64_t>(graph.find_group("unit")->graph.find("linear")->params.at("out_features")), 6);
}

TEST(GroupEdits, GroupsInGroups) {
  Graph graph = grouped();
  const NodePlace place(graph, "one/a/first/");
  const auto made = make_group(place.scope(), {"relu"});
  ASSERT_TRUE(made) << made.error().text();
  const auto edits = document_edits_at(place.scope(), made->edits);
  ASSERT_TRUE(edits) << edits.error().text();
  ASSERT_TRUE(apply_edits(graph, *edits));
  const Graph flat = flatten(graph);
  EXPECT_EQ(test::problems(flat), "");
  EXPECT_TRUE(flat.find("two/b/second/" + made->instance + "/relu"));
}

TEST(GroupEdits, ParametersArePromotedAndTakenOff) {
  Graph graph = grouped();
  const NodePlace place(graph, "one/a/first/");
  const auto twice = promote_param(place.scope(), "linear", "out_features");
  EXPECT_FALSE(twice);  // it is one
  const auto off = demote_param(place.scope(), "dropout", "p");
  ASSERT_TRUE(off) << off.error().text();
  ASSERT_TRUE(apply_edits(graph, *off));
  EXPECT_FALSE(graph.find_group("block")->graph.find("first")->params.contains("p"));  // a value for nothing
  EXPECT_EQ(test::problems(flatten(graph)), "");
  const NodePlace now(graph, "one/a/first/");
  const auto on = promote_param(now.scope(), "dropout", "p");
  ASSERT_TRUE(on);
  ASSERT_TRUE(apply_edits(graph, *on));
  const NodeDecl decl = interface_of(graph, *graph.find_group("unit"));
  ASSERT_TRUE(decl.find_param("p"));
  EXPECT_EQ(decl.find_param("p")->max, Registry::instance().find("dropout")->decl.find_param("p")->max);
}

TEST(GroupEdits, WhatIsNotThereIsNotPromoted) {
  const Graph graph = grouped();
  const NodePlace place(graph, "one/a/first/");
  const auto node = promote_param(place.scope(), "dropuot", "p");
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().code, codes::unknown_node);
  EXPECT_EQ(node.error().where, "one/a/first/dropuot");
  EXPECT_EQ(node.error().remedy, "Nearest to this name: dropout.");
  const auto param = promote_param(place.scope(), "linear", "out_feature");
  ASSERT_FALSE(param);
  EXPECT_EQ(param.error().code, codes::unknown_parameter);
  EXPECT_EQ(param.error().where, "one/a/first/linear");
  EXPECT_EQ(param.error().remedy, "Nearest to this name: out_features, in_features.");
  EXPECT_FALSE(promote_param(place.scope(), "nothing", "p", "width"));
}

TEST(GroupEdits, UniqueDefinitions) {
  Graph graph = grouped();
  const auto edits = make_unique_group(document_scope(graph), "two");
  ASSERT_TRUE(edits) << edits.error().text();
  const Graph before = flatten(graph);
  ASSERT_TRUE(apply_edits(graph, *edits));
  EXPECT_EQ(graph.find("two")->type, "group:tower_2");
  EXPECT_EQ(write_graph(flatten(graph)), write_graph(before));
}

TEST(GroupEdits, WhatCannotBeIsRefusedWithAReason) {
  Graph graph = chain();
  const Scope scope = document_scope(graph);
  EXPECT_THAT(make_group(scope, {}).error().reason, HasSubstr("nothing to group"));
  EXPECT_THAT(ungroup(scope, {"relu"}).error().reason, HasSubstr("no instance"));
  graph.node("second").tie = "first";
  EXPECT_THAT(make_group(scope, {"first"}).error().reason, HasSubstr("uses the weights"));
  Graph nested = grouped();
  const NodePlace place(nested, "one/a/first/");
  EXPECT_THAT(make_group(place.scope(), {"linear"}).error().reason, HasSubstr("parameter of the group"));
  EXPECT_THAT(make_group(place.scope(), {"x", "y"}).error().reason, HasSubstr("nothing to group"));
}

}  // namespace
}  // namespace hw::group_edits_test
