// Which graph of a document is shown, and where its nodes are.
#include "app/document/shown_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/graph/edit.h"
#include "tests/engine/group_graphs.h"

namespace hw::app {
namespace {

auto first_instance(const Graph& graph) {
  return std::ranges::find_if(graph.nodes(), [](const auto& node) { return group_of(node.second).has_value(); });
}

TEST(ShownGraph, NodesArePlacedInTheGroupTheyAreIn) {
  const Graph graph = test::grouped();
  const auto instance = first_instance(graph);
  ASSERT_NE(instance, graph.nodes().end());
  const std::string& id = instance->first;
  const Group* group = graph.find_group(*group_of(instance->second));
  ASSERT_TRUE(group);
  const std::string inner = group->graph.nodes().begin()->first;
  const auto place = ShownGraph::node_at(graph, id + "/" + inner);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->group, id);
  EXPECT_EQ(place->id, inner);
  EXPECT_EQ(ShownGraph::node_at(graph, id)->group, "");
  EXPECT_FALSE(ShownGraph::node_at(graph, id + "/nothing"));
}

TEST(ShownGraph, FollowsAnInstanceThatGoesToWhatIsAroundIt) {
  Graph graph = test::grouped();
  const auto instance = first_instance(graph);
  ASSERT_NE(instance, graph.nodes().end());
  const std::string id = instance->first;
  ShownGraph shown;
  shown.open(graph, id);
  EXPECT_EQ(shown.path(), id);
  EXPECT_TRUE(shown.definition());
  EXPECT_EQ(shown.path_of("x"), id + "/x");
  EXPECT_EQ(shown.shown_at(id + "/a/b"), "a");
  EXPECT_EQ(shown.shown_at("elsewhere"), std::nullopt);
  EXPECT_FALSE(shown.follow(graph));
  ASSERT_TRUE(apply_edits(graph, {RemoveNode{id}}));
  EXPECT_TRUE(shown.follow(graph));
  EXPECT_EQ(shown.path(), "");
  EXPECT_FALSE(shown.definition());
}

}  // namespace
}  // namespace hw::app
