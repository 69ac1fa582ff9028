// Nodes and instances replaced by others: wires, values and flags that go along, and what is said of the rest.
#include "engine/graph/groups/replace.h"

#include <gmock/gmock.h>

#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/group_edits.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/group_graphs.h"

namespace hw::replace_test {
namespace {

using test::built;
using test::grouped;
using test::link;
using test::node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const NodeDecl& declared(const char* type) {
  return Registry::instance().find(type)->decl;
}

/// data → a → b → view
Graph chain() {
  Node b = node("b", "dropout", {{"p", 0.25}});
  b.label = "Mine";
  b.bypassed = true;
  b.x = 320;
  return built({AddNode{test::normal_numbers("data", {4, 3}, "N C")}, AddNode{node("a", "relu")}, AddNode{b},
                AddNode{node("view", "tensor_view")}, AddLink{link("data.y", "a.x")}, AddLink{link("a.y", "b.x")},
                AddLink{link("b.y", "view.x")}});
}

TEST(Replace, KeepsWiresLabelFlagsAndPlace) {
  Graph graph = chain();
  const std::string before = write_graph(graph);
  const auto made = replace_nodes(document_scope(graph), {"b"}, "gelu", declared("gelu"));
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(made->lost, IsEmpty());
  EXPECT_THAT(made->nodes, ElementsAre("gelu"));
  const auto inverse = apply_edits(graph, made->edits);
  ASSERT_TRUE(inverse) << inverse.error().text();
  EXPECT_TRUE(graph.has_link(link("a.y", "gelu.x")) && graph.has_link(link("gelu.y", "view.x")));
  const Node& now = *graph.find("gelu");
  EXPECT_EQ(now.label, "Mine");
  EXPECT_TRUE(now.bypassed);
  EXPECT_EQ(now.x, 320);
  EXPECT_TRUE(now.params.empty()) << "it has no p";
  undo_edits(graph, *inverse);
  EXPECT_EQ(write_graph(graph), before);
}

TEST(Replace, SeveralWithWiresAmongThem) {
  Graph graph = chain();
  const auto made = replace_nodes(document_scope(graph), {"a", "b"}, "tanh", declared("tanh"));
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(apply_edits(graph, made->edits));
  EXPECT_TRUE(graph.has_link(link("tanh.y", "tanh_2.x")));
  EXPECT_EQ(graph.link_count(), 3u);
}

TEST(Replace, SaysWhichWiresHaveNoPlace) {
  Graph graph = built({AddNode{node("c", "constant")}, AddNode{node("d", "constant")}, AddNode{node("add", "add")},
                       AddLink{link("c.y", "add.a")}, AddLink{link("d.y", "add.b")}});
  const auto made = replace_nodes(document_scope(graph), {"add"}, "relu", declared("relu"));
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(apply_edits(graph, made->edits));
  EXPECT_TRUE(graph.has_link(link("c.y", "relu.x")));
  EXPECT_THAT(made->lost, ElementsAre(link("d.y", "add.b")));
}

TEST(Replace, SocketsGoByNameThenByOrderAndKind) {
  NodeDecl from, to;
  from.input("a");
  from.input("b");
  from.input("mesh").mesh();
  to.input("b");
  to.input("picture").image();
  to.input("first");
  EXPECT_EQ(socket_places(from.inputs(), to.inputs(), {"a", "b", "mesh"}),
            (std::map<std::string, std::string>{{"a", "first"}, {"b", "b"}}));
}

TEST(Replace, ANodeByAGroupAndBack) {
  Graph graph = grouped();
  const auto made =
      replace_nodes(document_scope(graph), {"head"}, "group:unit", interface_of(graph, *graph.find_group("unit")));
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(apply_edits(graph, made->edits));
  EXPECT_EQ(graph.find("unit")->type, "group:unit");
  EXPECT_TRUE(graph.has_link(link("two.y", "unit.x")) && graph.has_link(link("unit.y", "mse.prediction")));
  const auto back = replace_nodes(document_scope(graph), {"unit"}, "linear", declared("linear"));
  ASSERT_TRUE(back);
  ASSERT_TRUE(apply_edits(graph, back->edits));
  EXPECT_TRUE(graph.has_link(link("two.y", "linear.x")));
}

TEST(Replace, AnInstanceKeepsItsIdAndTheValuesThatTheOtherTakes) {
  Graph graph = grouped();
  const auto made =
      replace_nodes(document_scope(graph), {"two"}, "group:block", interface_of(graph, *graph.find_group("block")));
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(apply_edits(graph, made->edits));
  EXPECT_EQ(graph.find("two")->type, "group:block");
  EXPECT_EQ(std::get<int64_t>(graph.find("two")->params.at("width")), 5);
  EXPECT_EQ(test::problems(flatten(graph)), "");
}

TEST(Replace, InAGroupAllInstancesFollow) {
  Graph graph = grouped();
  const NodePlace place(graph, "one/a/first/");
  const auto made = replace_nodes(place.scope(), {"relu"}, "tanh", declared("tanh"));
  ASSERT_TRUE(made) << made.error().text();
  const auto edits = document_edits_at(place.scope(), made->edits);
  ASSERT_TRUE(edits);
  ASSERT_TRUE(apply_edits(graph, *edits));
  EXPECT_TRUE(flatten(graph).find("two/b/second/tanh"));
}

TEST(Replace, WhatCannotBeIsRefusedWithAReason) {
  const Graph graph = grouped();
  EXPECT_THAT(replace_nodes(document_scope(graph), {}, "relu", declared("relu")).error().reason, HasSubstr("nothing"));
  const NodePlace place(graph, "one/a/first/");
  EXPECT_THAT(replace_nodes(place.scope(), {"linear"}, "relu", declared("relu")).error().reason,
              HasSubstr("parameter of the group"));
  // A group in itself.
  const auto itself =
      replace_nodes(place.scope(), {"relu"}, "group:tower", interface_of(graph, *graph.find_group("tower")));
  ASSERT_TRUE(itself);
  const auto edits = document_edits_at(place.scope(), itself->edits);
  Graph changed = graph;
  EXPECT_FALSE(edits && apply_edits(changed, *edits));
}

}  // namespace
}  // namespace hw::replace_test
