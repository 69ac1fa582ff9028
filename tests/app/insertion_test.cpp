// A node put into a wire: wired on both sides, what is behind it pushed right, all in one step.
#include <gtest/gtest.h>

#include "app/models/graph/graph_edits.h"
#include "tests/app/support.h"

namespace hw::app::insertion_test {
namespace {

using testing::node;

const Link kWire{"a", "y", "b", "x"};

/// a → b → c side by side, with 40 units between them.
void make_chain(Document& document) {
  Edits edits{AddNode{node("a", "constant")}};
  for (const auto& [id, x, before] : {std::tuple("b", 256.0, "a"), std::tuple("c", 512.0, "b")}) {
    Node relu = node(id, "relu");
    relu.x = x;
    edits.push_back(AddNode{relu});
    edits.push_back(AddLink{Link{before, "y", id, "x"}});
  }
  ASSERT_TRUE(document.push("Make", edits));
}

double x_of(const Document& document, const std::string& id) {
  return document.graph().find(id)->x;
}

TEST(Insertion, ANewNodePushesWhatIsBehindAside) {
  Document document;
  make_chain(document);
  GraphEdits edits(document);
  EXPECT_EQ(edits.addNodeIntoLink("sigmoid", kWire, 236, 60), "sigmoid");
  EXPECT_TRUE(document.graph().has_link({"a", "y", "sigmoid", "x"}));
  EXPECT_TRUE(document.graph().has_link({"sigmoid", "y", "b", "x"}));
  EXPECT_FALSE(document.graph().has_link(kWire));
  EXPECT_EQ(x_of(document, "a"), 0);
  EXPECT_EQ(x_of(document, "sigmoid"), 256);
  EXPECT_EQ(x_of(document, "b"), 512);
  EXPECT_EQ(x_of(document, "c"), 768);
  document.undo();
  EXPECT_EQ(x_of(document, "b"), 256);
  EXPECT_TRUE(document.graph().has_link(kWire));
  EXPECT_EQ(document.graph().nodes().size(), 3u);
}

TEST(Insertion, ADraggedNodeAndWhatItPushesAreOneStep) {
  Document document;
  make_chain(document);
  Node loose = node("loose", "sigmoid");
  loose.y = 400;
  ASSERT_TRUE(document.push("Add", {AddNode{loose}}));
  GraphEdits edits(document);
  edits.moveNodes({{"loose", {128, 200}}});
  edits.moveNodes({{"loose", {128, 0}}});
  EXPECT_TRUE(edits.insertIntoLink("loose", kWire));
  edits.endGesture();
  EXPECT_EQ(x_of(document, "loose"), 256);
  EXPECT_EQ(x_of(document, "c"), 768);
  document.undo();
  EXPECT_EQ(x_of(document, "c"), 512);
  EXPECT_EQ(document.graph().find("loose")->y, 400);
}

TEST(Insertion, WhatDoesNotFitChangesNothing) {
  Document document;
  make_chain(document);
  GraphEdits edits(document);
  EXPECT_EQ(edits.addNodeIntoLink("mesh_source", kWire, 236, 60), "");
  EXPECT_EQ(document.undoText(), "Make");
}

}  // namespace
}  // namespace hw::app::insertion_test
