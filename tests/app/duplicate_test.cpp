// Copies of many nodes at once: their ids, their places, and undo.
#include <gtest/gtest.h>

#include <set>

#include "app/models/graph/graph_model.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

TEST(Duplicate, GivesIdsThatNobodyHas) {
  Document d;
  GraphModel graph(d);
  // "relu_3" is taken by another type, "relu" and "relu_2" by their own.
  ASSERT_TRUE(d.push("Fill", {AddNode{node("relu", "relu")}, AddNode{node("relu_2", "relu")},
                              AddNode{node("relu_3", "sigmoid")}, AddNode{node("x", "relu")}}));
  d.selectAll();
  graph.clipboard()->duplicateSelection();
  std::set<std::string> ids;
  for (const auto& [id, entry] : d.graph().nodes()) ids.insert(id);
  EXPECT_EQ(ids, (std::set<std::string>{"relu", "relu_2", "relu_3", "relu_4", "relu_5", "relu_6", "sigmoid", "x"}));
  d.undo();
  EXPECT_EQ(d.graph().nodes().size(), 4u);
}

TEST(Duplicate, LiesOnNoNode) {
  Document d;
  GraphModel graph(d);
  Node aside = node("b", "relu");
  aside.x = aside.y = 32;  // where the copy of a would lie
  ASSERT_TRUE(d.push("Fill", {AddNode{node("a", "relu")}, AddNode{aside}}));
  d.selectNode("a");
  graph.clipboard()->duplicateSelection();
  EXPECT_EQ(graph.nodeRect("relu").topLeft(), QPointF(64, 64));
}

}  // namespace
}  // namespace hw::app::testing
