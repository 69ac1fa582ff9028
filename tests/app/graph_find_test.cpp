// Steps through what is found in a document, into groups and out.
#include "app/models/graph/graph_find.h"

#include <gtest/gtest.h>

#include "tests/app/support.h"

namespace hw::app::graph_find_test {
namespace {

using testing::node;
using testing::wait_for;

TEST(GraphFind, GoesRoundIntoGroupsAndOut) {
  Group group{"g", "", {}, {}, ""};
  group.graph.add_node(node("relu_in", "relu"));
  Document document;
  Node right = node("relu_right", "relu");
  right.x = 900;
  ASSERT_TRUE(document.push("Make", {SetGroup{group}, AddNode{node("i", "group:g")}, AddNode{right}}));
  GraphFind find(document);
  find.setQuery("type:relu");
  EXPECT_EQ(find.count(), 2);
  EXPECT_EQ(find.current(), -1);
  EXPECT_EQ(document.shown().path(), "");
  EXPECT_TRUE(find.step(1));
  EXPECT_EQ(document.shown().path(), "i");
  EXPECT_EQ(document.activeNode(), "relu_in");
  EXPECT_TRUE(find.step(1));
  EXPECT_EQ(document.shown().path(), "");
  EXPECT_EQ(document.activeNode(), "relu_right");
  EXPECT_TRUE(find.step(1));
  EXPECT_EQ(find.current(), 0);
  EXPECT_TRUE(find.step(-1));
  EXPECT_EQ(find.current(), 1);
}

TEST(GraphFind, FollowsEditsAndSaysWhatIsWrong) {
  Document document;
  ASSERT_TRUE(document.push("Make", {AddNode{node("relu", "relu")}}));
  GraphFind find(document);
  find.setQuery("relu");
  EXPECT_TRUE(find.step(1));
  ASSERT_TRUE(document.push("Add", {AddNode{node("relu_2", "relu")}}));
  EXPECT_TRUE(wait_for([&] { return find.count() == 2; }));
  EXPECT_EQ(find.current(), 0);
  ASSERT_TRUE(document.push("Remove", {RemoveNode{"relu"}}));
  EXPECT_TRUE(find.step(1)) << "what is gone is not stepped to";
  EXPECT_EQ(document.activeNode(), "relu_2");
  find.setQuery("/(/");
  EXPECT_EQ(find.count(), 0);
  EXPECT_FALSE(find.problem().isEmpty());
  EXPECT_FALSE(find.step(1));
  find.setQuery("");
  EXPECT_TRUE(find.problem().isEmpty());
}

}  // namespace
}  // namespace hw::app::graph_find_test
