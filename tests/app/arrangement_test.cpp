// Arranging and aligning in a document: one undo step each, and nothing of a graph that was edited meanwhile.
#include "app/models/graph/arrangement.h"

#include <gtest/gtest.h>

#include <QPointF>
#include <QRectF>
#include <filesystem>

#include "app/models/graph/card_layout.h"
#include "tests/app/support.h"

namespace hw::app::arrangement_test {
namespace {

using testing::node;
using testing::wait_for;

Edits chain(int length) {
  Edits edits{AddNode{node("n0", "constant")}};
  for (int i = 1; i < length; ++i) {
    const std::string id = "n" + std::to_string(i), before = "n" + std::to_string(i - 1);
    edits.push_back(AddNode{node(id, "relu")});
    edits.push_back(AddLink{Link{before, "y", id, "x"}});
  }
  return edits;
}

QPointF at(const Document& document, const std::string& id) {
  const Node* found = document.shown().graph().find(id);
  return {found->x, found->y};
}

Frame framed(const char* id, double x, double y, double width, double height) {
  Frame frame;
  frame.id = frame.title = id;
  frame.x = x;
  frame.y = y;
  frame.width = width;
  frame.height = height;
  return frame;
}

TEST(Arrangement, IsOneStepAroundTheMiddle) {
  Document document;
  Edits edits = chain(4);
  for (int i = 0; i < 4; ++i) edits.push_back(MoveNode{"n" + std::to_string(i), 1000.0, 1000.0 + 200 * i});
  ASSERT_TRUE(document.push("Make", edits));
  Arrangement arrangement(document);
  arrangement.arrange();
  EXPECT_EQ(document.undoText(), "Arrange");
  for (int i = 1; i < 4; ++i)
    EXPECT_GT(at(document, "n" + std::to_string(i)).x(), at(document, "n" + std::to_string(i - 1)).x());
  const double middle = (at(document, "n0").x() + at(document, "n3").x() + 216) / 2;
  EXPECT_NEAR(middle, 1108, 8);
  document.undo();
  EXPECT_EQ(at(document, "n3"), QPointF(1000, 1600));
  document.redo();
  arrangement.arrange();  // nothing to move: no step
  document.undo();
  EXPECT_EQ(at(document, "n3"), QPointF(1000, 1600));
}

TEST(Arrangement, OfTwoSelectedNodesMovesThemAlone) {
  Document document;
  ASSERT_TRUE(document.push("Make", chain(4)));
  document.select({"n1", "n2"}, "n1");
  Arrangement arrangement(document);
  EXPECT_EQ(arrangement.chosen(), 2);
  arrangement.arrange();
  EXPECT_EQ(at(document, "n0"), QPointF(0, 0));
  EXPECT_EQ(at(document, "n3"), QPointF(0, 0));
  EXPECT_LT(at(document, "n1").x(), at(document, "n2").x());
}

TEST(Arrangement, FramesGoAlongWithTheirContent) {
  Document document;
  Edits edits = chain(6);
  for (int i = 0; i < 6; ++i) edits.push_back(MoveNode{"n" + std::to_string(i), 40.0 * (i % 2), 900.0 - 150 * i});
  const Frame frame = framed("f", -40, 400, 600, 400);      // around n2 and n3
  const Frame inner = framed("inner", -10, 420, 280, 160);  // around n3
  Frame note = framed("note", 2000, 2000, 240, 128);
  note.text = "Read me";
  for (const Frame& f : {frame, inner, note}) edits.push_back(SetFrame{f});
  ASSERT_TRUE(document.push("Make", edits));
  const auto rect = [&](const char* id) {
    const Frame& f = document.graph().frames().at(id);
    return QRectF(f.x, f.y, f.width, f.height);
  };
  const auto card = [&](const std::string& id) { return QRectF(at(document, id), QSizeF(216, 72)); };
  ASSERT_TRUE(rect("f").contains(card("n2")) && rect("inner").contains(card("n3")) &&
              rect("f").contains(rect("inner")));
  Arrangement arrangement(document);
  arrangement.arrange();
  for (int i = 0; i < 6; ++i) {
    const std::string id = "n" + std::to_string(i);
    EXPECT_EQ(rect("f").contains(card(id)), i == 2 || i == 3) << id;
    EXPECT_EQ(rect("f").intersects(card(id)), i == 2 || i == 3) << id;
    EXPECT_EQ(rect("inner").contains(card(id)), i == 3) << id;
    EXPECT_FALSE(rect("note").intersects(card(id))) << id;
  }
  EXPECT_TRUE(rect("f").contains(rect("inner")));
  EXPECT_LT(rect("note").bottom(), rect("f").top());
  EXPECT_EQ(rect("note").size(), QSizeF(240, 128));
  const Graph arranged = document.graph();
  arrangement.arrange();
  EXPECT_EQ(document.graph(), arranged) << "arranged, it stays as it is";
  document.undo();
  EXPECT_EQ(document.graph().frames().at("f"), frame);
  EXPECT_EQ(document.graph().frames().at("note"), note);
  // Selected nodes take no frame with them that holds others.
  document.select({"n1", "n2"}, "n1");
  arrangement.arrange();
  EXPECT_EQ(document.graph().frames().at("f"), frame);
  document.select({"n2", "n3"}, "n2");
  arrangement.arrange();
  EXPECT_TRUE(rect("f").contains(card("n2")) && rect("f").contains(card("n3")));
  EXPECT_NE(document.graph().frames().at("f"), frame);
}

TEST(Arrangement, OfALargeGraphComesFromAThreadOfItsOwn) {
  Document document;
  ASSERT_TRUE(document.push("Make", chain(600)));
  Arrangement arrangement(document);
  arrangement.arrange();
  EXPECT_TRUE(arrangement.busy());
  ASSERT_TRUE(wait_for([&] { return !arrangement.busy(); }));
  EXPECT_EQ(document.undoText(), "Arrange");
}

TEST(Arrangement, OfAGraphThatIsEditedMeanwhileDoesNothing) {
  Document document;
  ASSERT_TRUE(document.push("Make", chain(600)));
  Arrangement arrangement(document);
  arrangement.arrange();
  ASSERT_TRUE(document.push("Move", {MoveNode{"n5", 40, 40}}));
  EXPECT_FALSE(arrangement.busy());
  wait_for([] { return false; }, 500);
  EXPECT_EQ(document.undoText(), "Move");
}

TEST(Arrangement, CanBeStopped) {
  Document document;
  ASSERT_TRUE(document.push("Make", chain(600)));
  Arrangement arrangement(document);
  EXPECT_FALSE(arrangement.cancel());
  arrangement.arrange();
  EXPECT_TRUE(arrangement.cancel());
  wait_for([] { return false; }, 500);
  EXPECT_EQ(document.undoText(), "Make");
}

TEST(Arrangement, AlignsAndDistributesTheSelection) {
  Document document;
  Edits edits = chain(3);
  edits.push_back(MoveNode{"n1", 400.5, 64.25});
  edits.push_back(MoveNode{"n2", 600, 160});
  ASSERT_TRUE(document.push("Make", edits));
  Arrangement arrangement(document);
  document.select({"n0", "n1"}, "n0");
  arrangement.align("top");
  EXPECT_EQ(document.undoText(), "Align");
  EXPECT_EQ(at(document, "n1"), QPointF(400.5, 0)) << "the other axis stays as it is";
  arrangement.distribute(true);
  EXPECT_EQ(document.undoText(), "Align") << "two have one gap";
  document.selectAll();
  arrangement.distribute(true);
  EXPECT_EQ(document.undoText(), "Distribute");
  EXPECT_EQ(at(document, "n1").x(), 300);
  document.undo();
  document.undo();
  EXPECT_EQ(at(document, "n1"), QPointF(400.5, 64.25));
}

TEST(Arrangement, InAGroupSocketsKeepTheirOrder) {
  Group group{"g", "", {}, {}, ""};
  Node x = node("x", "input"), z = node("z", "input");
  x.y = 300;  // below
  group.graph.add_node(x);
  group.graph.add_node(z);
  group.graph.add_node(node("add", "add"));
  group.graph.add_node(node("y", "output"));
  group.graph.add_link({"x", "y", "add", "a"});
  group.graph.add_link({"z", "y", "add", "b"});
  group.graph.add_link({"add", "y", "y", "x"});
  Document document;
  ASSERT_TRUE(document.push("Make", {SetGroup{group}, AddNode{node("i", "group:g")}}));
  document.openGroup("i");
  Arrangement arrangement(document);
  arrangement.arrange();
  EXPECT_EQ(document.undoText(), "Arrange");
  EXPECT_LT(at(document, "z").y(), at(document, "x").y());
  EXPECT_LT(at(document, "x").x(), at(document, "add").x());
}

TEST(Arrangement, ExamplesHaveNoMoreCrossingsThanByHand) {
  int examples = 0;
  for (const auto& file : std::filesystem::directory_iterator(HALFWIRE_EXAMPLES)) {
    if (file.path().extension() != ".halfwire") continue;
    Document document;
    ASSERT_TRUE(document.load(QUrl::fromLocalFile(QString::fromStdString(file.path().string())), true));
    const CardLayout before = card_layout(document);
    Arrangement(document).arrange();
    const CardLayout after = card_layout(document);
    // What must stay together in frames cannot lie where fewest wires cross.
    const int64_t by_hand = layout::crossings(before.boxes, before.wires, before.places);
    const int64_t most = document.graph().frames().empty() ? by_hand : 3 * by_hand;
    EXPECT_LE(layout::crossings(after.boxes, after.wires, after.places), most) << file.path();
    ++examples;
  }
  EXPECT_GE(examples, 8);
}

}  // namespace
}  // namespace hw::app::arrangement_test
