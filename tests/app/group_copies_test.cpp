// Copies of groups: values are each instance's own; a paste is of the group as it is now, or says that it brings
// another; each step is undone to the byte.
#include <gmock/gmock.h>

#include "app/models/graph/graph_model.h"
#include "app/models/inspector/inspector_model.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/io/graph/graph_file.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GroupCopies : public ::testing::Test {
 protected:
  /// data → MLP in a group, whose width is a parameter of the group.
  static void fill(Document& d, GraphModel& graph) {
    ASSERT_TRUE(d.push("Fill", {AddNode{node("data", "constant", {{"shape", std::vector<double>{4, 8}}})},
                                AddNode{node("m", "mlp")}, AddLink{{"data", "y", "m", "x"}}}));
    d.selectNode("m");
    graph.groups()->groupSelection();
    InspectorModel inspector(d);  // follows what is selected from now on
    d.openGroup("group");
    d.selectNode("m");
    inspector.setPromoted("width", true);
    ASSERT_EQ(d.graph().find_group("group")->params.size(), 1u);
    d.openGroup("");
    d.selectNode("group");
  }
  GroupCopies() {
    fill(d_, graph_);
    QObject::connect(&d_, &Document::explained, &d_, [this](const QString&, const QStringList& lines) {
      for (const QString& line : lines) said_.push_back(to_std(line));
    });
  }
  std::string bytes() const { return write_graph(d_.graph()); }
  /// Width of the MLP in an instance.
  int64_t width(const std::string& instance) const {
    return std::get<int64_t>(param_value(*d_.flat().find(instance + "/m"), "width"));
  }
  void edit_inside() {
    d_.openGroup("group");
    ASSERT_TRUE(d_.push("Edit", {AddNode{node("relu", "relu")}}));
    d_.openGroup("");
  }
  static std::string to_std(const QString& text) { return text.toStdString(); }

  Document d_;
  GraphModel graph_{d_};
  std::vector<std::string> said_;
};

TEST_F(GroupCopies, HaveValuesOfTheirOwn) {
  const std::string first = bytes();
  graph_.clipboard()->duplicateSelection();
  const std::string copied = bytes();
  ASSERT_TRUE(d_.graph().find("group_2"));
  ASSERT_TRUE(graph_.edits()->setParam("group", "width", 48));
  ASSERT_TRUE(graph_.edits()->setParam("group_2", "width", 16));
  EXPECT_EQ(width("group"), 48);
  EXPECT_EQ(width("group_2"), 16);
  edit_inside();
  EXPECT_EQ(width("group"), 48);
  EXPECT_EQ(width("group_2"), 16);
  EXPECT_TRUE(d_.flat().find("group/relu") && d_.flat().find("group_2/relu")) << "one definition";
  for (int i = 0; i < 3; ++i) d_.undo();
  EXPECT_EQ(bytes(), copied);
  d_.undo();
  EXPECT_EQ(bytes(), first);
  for (int i = 0; i < 4; ++i) d_.redo();
  EXPECT_EQ(width("group"), 48);
  EXPECT_EQ(width("group_2"), 16);
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(GroupCopies, OnesFromThePaletteHaveTheDefinitionsValueAndTakeNoneOfOthers) {
  ASSERT_TRUE(graph_.edits()->setParam("group", "width", 48));
  const int64_t plain = std::get<int64_t>(param_value(d_.graph().find_group("group")->graph.nodes().at("m"), "width"));
  const std::string placed = to_std(graph_.edits()->addNode("group:group", 600, 0));
  EXPECT_EQ(width(placed), plain);
  ASSERT_TRUE(graph_.edits()->setParam(QString::fromStdString(placed), "width", 16));
  EXPECT_EQ(width("group"), 48);
  d_.selectNode(QString::fromStdString(placed));
  d_.deleteSelection();
  EXPECT_EQ(width("group"), 48);
}

TEST_F(GroupCopies, DissolvedOnesLeaveTheirValues) {
  graph_.clipboard()->duplicateSelection();
  ASSERT_TRUE(graph_.edits()->setParam("group", "width", 48));
  ASSERT_TRUE(graph_.edits()->setParam("group_2", "width", 16));
  const std::string before = bytes();
  d_.selectNode("group_2");
  graph_.groups()->ungroupSelection();
  ASSERT_EQ(d_.selection().nodes().size(), 1);
  const Node& freed = *d_.graph().find(to_std(*d_.selection().nodes().begin()));
  EXPECT_EQ(std::get<int64_t>(param_value(freed, "width")), 16);
  EXPECT_EQ(width("group"), 48);
  d_.undo();
  EXPECT_EQ(bytes(), before);
}

TEST_F(GroupCopies, APasteIsOfTheGroupAsItIsNowAndSaysSo) {
  ASSERT_TRUE(graph_.edits()->setParam("group", "width", 48));
  graph_.clipboard()->copySelection();
  edit_inside();
  ASSERT_TRUE(graph_.edits()->setParam("group", "width", 16));
  const std::string before = bytes();
  graph_.clipboard()->paste(600, 0);
  EXPECT_EQ(d_.graph().groups().size(), 1u) << "no other definition under the same title";
  EXPECT_EQ(width("group_2"), 48) << "as it was copied";
  EXPECT_EQ(width("group"), 16);
  EXPECT_TRUE(d_.flat().find("group_2/relu"));
  EXPECT_THAT(said_, Contains(HasSubstr("has changed since it was copied")));
  d_.undo();
  EXPECT_EQ(bytes(), before);
}

TEST_F(GroupCopies, UniqueOnesAreNotTouchedByAPaste) {
  graph_.clipboard()->copySelection();
  graph_.clipboard()->paste(600, 0);
  const std::string pasted = bytes();
  EXPECT_THAT(said_, IsEmpty()) << "nothing has changed";
  graph_.groups()->makeUnique("group_2");
  const Group unique = *d_.graph().find_group(*group_of(*d_.graph().find("group_2")));
  EXPECT_NE(title_of(unique), title_of(*d_.graph().find_group("group")));
  edit_inside();
  graph_.clipboard()->paste(900, 0);
  EXPECT_EQ(*d_.graph().find_group(unique.id), unique);
  EXPECT_TRUE(d_.flat().find("group_3/relu")) << "of the first";
  EXPECT_FALSE(d_.flat().find("group_2/relu"));
  for (int i = 0; i < 3; ++i) d_.undo();
  EXPECT_EQ(bytes(), pasted);
}

TEST_F(GroupCopies, AnotherDocumentsGroupOfThatNameStays) {
  ASSERT_TRUE(graph_.edits()->setParam("group", "width", 48));
  graph_.clipboard()->copySelection();
  Document other;
  GraphModel canvas(other);
  fill(other, canvas);
  other.openGroup("group");
  ASSERT_TRUE(other.push("Edit", {AddNode{node("tanh", "tanh")}}));
  other.openGroup("");
  const Group its = *other.graph().find_group("group");
  const std::string before = write_graph(other.graph());
  std::vector<std::string> said;
  QObject::connect(&other, &Document::explained, &other, [&](const QString&, const QStringList& lines) {
    for (const QString& line : lines) said.push_back(to_std(line));
  });
  canvas.clipboard()->paste(600, 0);
  EXPECT_EQ(*other.graph().find_group("group"), its);
  const Node* copy = other.graph().find("group_2");
  ASSERT_TRUE(copy);
  const Group& brought = *other.graph().find_group(*group_of(*copy));
  EXPECT_EQ(brought.graph, d_.graph().find_group("group")->graph);
  EXPECT_NE(title_of(brought), title_of(its));
  EXPECT_EQ(std::get<int64_t>(param_value(*other.flat().find("group_2/m"), "width")), 48);
  EXPECT_THAT(said, Contains(HasSubstr(title_of(brought))));
  canvas.clipboard()->paste(900, 0);
  EXPECT_EQ(other.graph().groups().size(), 2u) << "the second paste uses what the first has brought";
  other.undo();
  other.undo();
  EXPECT_EQ(write_graph(other.graph()), before);
}

TEST_F(GroupCopies, KeepTheirValuesThroughRecovery) {
  graph_.clipboard()->duplicateSelection();
  ASSERT_TRUE(graph_.edits()->setParam("group", "width", 48));
  ASSERT_TRUE(graph_.edits()->setParam("group_2", "width", 16));
  const Result<Graph> read = parse_graph(bytes(), "kept");
  ASSERT_TRUE(read);
  Document back;
  back.restore(*read, {}, "kept", {});
  GraphModel canvas(back);
  ASSERT_TRUE(canvas.edits()->setParam("group_2", "width", 24));
  const auto width = [&](const char* path) { return std::get<int64_t>(param_value(*back.flat().find(path), "width")); };
  EXPECT_EQ(width("group/m"), 48);
  EXPECT_EQ(width("group_2/m"), 24);
}

}  // namespace
}  // namespace hw::app::testing
