// The selection by itself: what changes it, when it says so, and what it forgets.
#include "app/document/document_selection.h"

#include <QSignalSpy>

#include "support.h"

namespace hw::app {
namespace {

using testing::node;

class Selected : public ::testing::Test {
 protected:
  Selected() {
    Frame frame;
    frame.id = "f";
    EXPECT_TRUE(
        apply_edits(graph_, {AddNode{node("a", "relu")}, AddNode{node("b", "relu")}, AddLink{wire_}, SetFrame{frame}}));
    shown_.open(graph_, {});
  }
  void apply(const Edits& edits) {
    ASSERT_TRUE(apply_edits(graph_, edits));
    shown_.follow(graph_);
  }
  const Link wire_{"a", "y", "b", "x"};
  Graph graph_;
  ShownGraph shown_;
  DocumentSelection selection_{shown_};
  QSignalSpy changed_{&selection_, &DocumentSelection::changed};
};

TEST_F(Selected, SaysOnceThatItChanged) {
  selection_.select({"a"}, "a");
  selection_.select({"a"}, "a");
  EXPECT_EQ(changed_.count(), 1);
  selection_.selectNode("nothing");
  EXPECT_EQ(changed_.count(), 1);
  selection_.drop();
  EXPECT_EQ(changed_.count(), 1);
  EXPECT_TRUE(selection_.nodes().isEmpty());
}

TEST_F(Selected, AllKeepsTheActiveNode) {
  selection_.selectNode("b");
  selection_.selectAll();
  EXPECT_EQ(selection_.nodes(), (QSet<QString>{"a", "b"}));
  EXPECT_EQ(selection_.frames(), (QSet<QString>{"f"}));
  EXPECT_EQ(selection_.active(), "b");
  selection_.clear();
  EXPECT_TRUE(selection_.active().isEmpty());
}

TEST_F(Selected, DeletionNamesWhatGoes) {
  selection_.select({}, {}, {wire_});
  EXPECT_EQ(selection_.deletion().what, "link");
  EXPECT_EQ(selection_.deletion().edits, (Edits{RemoveLink{wire_}}));
  selection_.select({"a", "b"}, "a", {wire_}, {"f"});
  EXPECT_EQ(selection_.deletion().what, "2 nodes");
  EXPECT_EQ(selection_.deletion().edits, (Edits{RemoveNode{"a"}, RemoveNode{"b"}, RemoveFrame{"f"}}));
}

TEST_F(Selected, ForgetsWhatIsGoneAndNothingElse) {
  selection_.select({"a", "b"}, "a", {wire_}, {"f"});
  changed_.clear();
  selection_.forget({"a"});  // it is there: another took its place
  selection_.forgetLinks();
  selection_.forgetFrames();
  EXPECT_EQ(changed_.count(), 0);
  apply({RemoveNode{"a"}, RemoveFrame{"f"}});
  selection_.forget({"a"});
  EXPECT_EQ(selection_.nodes(), (QSet<QString>{"b"}));
  EXPECT_TRUE(selection_.active().isEmpty());
  selection_.forgetLinks();
  EXPECT_TRUE(selection_.links().empty());
  selection_.forgetFrames();
  EXPECT_TRUE(selection_.frames().isEmpty());
  EXPECT_EQ(changed_.count(), 3);
}

}  // namespace
}  // namespace hw::app
