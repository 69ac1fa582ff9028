// The library in palette, search and document: placed, wired, replaced, saved, deleted; what a group has, edited.
#include "app/models/palette/library.h"

#include <gtest/gtest.h>

#include <QFile>

#include "app/document/wire_checks.h"
#include "app/models/graph/graph_model.h"
#include "app/models/inspector/group_interface_model.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/palette/palette_model.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/io/graph/graph_file.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

const QString kBasic = QStringLiteral("block:residual_basic");

/// data [2, 6, 8, 8] → relu → view, with the product's blocks.
class LibraryModels : public ::testing::Test {
 protected:
  LibraryModels() {
    graph_.edits()->setLibrary(&library_);
    palette_.setDocument(&document_);
    Node data = node("data", "random");
    data.params = {{"shape", std::vector<double>{2, 6, 8, 8}}, {"axes", std::string("N C H W")}};
    EXPECT_TRUE(
        document_.push("Fill", {AddNode{data}, AddNode{node("relu", "relu")}, AddNode{node("view", "tensor_view")},
                                AddLink{{"data", "y", "relu", "x"}}, AddLink{{"relu", "y", "view", "x"}}}));
    first_ = bytes();
  }
  std::string bytes() const { return write_graph(document_.graph()); }
  std::string problems() const {
    std::string all;
    for (const Diagnostic& d : document_.validator().all()) all += to_string(d) + "\n";
    return all;
  }
  int row_of(const QString& key) const {
    for (int row = 0; row < palette_.count(); ++row)
      if (palette_.typeAt(row) == key) return row;
    return -1;
  }
  QString origin(const QString& key) const {
    return palette_.data(palette_.index(row_of(key)), PaletteModel::OriginRole).toString();
  }
  void undo_all() {
    while (bytes() != first_ && document_.canUndo()) document_.undo();
    EXPECT_EQ(bytes(), first_);
  }

  QTemporaryDir own_;
  Library library_{HALFWIRE_BLOCKS, own_.path().toStdString() + "/blocks"};
  Document document_;
  GraphModel graph_{document_};
  PaletteModel palette_{library_};
  std::string first_;
};

TEST_F(LibraryModels, BlocksAreFoundBesideNodes) {
  EXPECT_EQ(origin(kBasic), "library");
  EXPECT_EQ(palette_.data(palette_.index(row_of(kBasic)), PaletteModel::CategoryRole).toString(), "Block");
  palette_.setFilter("BasicBlock");
  EXPECT_EQ(palette_.typeAt(0), kBasic);
  palette_.setFilter("conv2d");
  EXPECT_EQ(palette_.typeAt(0), "conv2d");
}

TEST_F(LibraryModels, ABlockIsAddedAsOneStepAndItsDefinitionOnce) {
  const QString one = graph_.edits()->addNode(kBasic, 0, 300);
  EXPECT_EQ(one, "residual_basic");
  EXPECT_EQ(document_.graph().groups().size(), 1u);
  EXPECT_EQ(graph_.edits()->addNode(kBasic, 300, 300), "residual_basic_2");
  EXPECT_EQ(document_.graph().groups().size(), 1u);
  EXPECT_LT(row_of("group:residual_basic"), 0) << "it is the block, and listed once";
  document_.undo();
  document_.undo();
  EXPECT_EQ(bytes(), first_) << "a step each";
}

TEST_F(LibraryModels, ABlockIsWiredLikeANode) {
  const QString id = graph_.edits()->addNodeLinked(kBasic, "data", "y", true, 400, 300);
  ASSERT_EQ(id, "residual_basic");
  EXPECT_TRUE(document_.graph().has_link({"data", "y", "residual_basic", "x"}));
  const Node& placed = *document_.graph().find("residual_basic");
  const QPointF end = QPointF(placed.x, placed.y) + make_card(document_.shown().scope(), placed).anchor("x", false);
  EXPECT_EQ(end, QPointF(400, 300)) << "the end of the wire lies there";
  undo_all();
  const QString into = graph_.edits()->addNodeIntoLink(kBasic, {"data", "y", "relu", "x"}, 400, 300);
  ASSERT_EQ(into, "residual_basic");
  EXPECT_TRUE(document_.graph().has_link({"residual_basic", "y", "relu", "x"}));
  undo_all();
}

TEST_F(LibraryModels, ABlockOfAnotherDtypeIsOfferedThroughACast) {
  ASSERT_TRUE(document_.push("Narrow", {SetParam{"data", "dtype", std::string("f16")}}));
  const auto block = find_placeable(document_.graph(), library_.blocks(), kBasic.toStdString());
  ASSERT_TRUE(block);
  const Candidate candidate = block->candidate(document_.graph());
  EXPECT_FALSE(fitting_socket(document_, "data", "y", true, candidate));
  EXPECT_EQ(fitting_by_cast(document_, "data", "y", true, candidate), (FitByCast{"x", DType::f32}));
  graph_.edits()->addNodeLinked(kBasic, "data", "y", true, 400, 300);
  EXPECT_TRUE(document_.graph().has_link({"cast", "y", "residual_basic", "x"}));
  undo_all();
}

TEST_F(LibraryModels, TheSelectionIsReplaced) {
  document_.selectNode("relu");
  graph_.edits()->replaceSelection(kBasic);
  EXPECT_TRUE(document_.graph().has_link({"data", "y", "residual_basic", "x"}));
  EXPECT_TRUE(document_.graph().has_link({"residual_basic", "y", "view", "x"}));
  EXPECT_EQ(document_.activeNode(), "residual_basic");
  graph_.edits()->replaceSelection("tanh");
  EXPECT_TRUE(document_.graph().has_link({"tanh", "y", "view", "x"}));
  EXPECT_EQ(origin("block:residual_basic"), "library");
  undo_all();
}

TEST_F(LibraryModels, WiresWithoutAPlaceAreReported) {
  ASSERT_TRUE(document_.push(
      "Add", {AddNode{node("add", "add")}, AddLink{{"data", "y", "add", "a"}}, AddLink{{"relu", "y", "add", "b"}}}));
  QStringList noted;
  QObject::connect(&document_, &Document::explained, &document_,
                   [&](const QString&, const QStringList& lines) { noted = lines; });
  document_.selectNode("add");
  graph_.edits()->replaceSelection("tanh");
  EXPECT_EQ(noted, QStringList{QString::fromUtf8("relu.y → add.b")});
  undo_all();
}

TEST_F(LibraryModels, AGroupIsSavedFoundAndDeleted) {
  document_.selectNode("relu");
  graph_.groups()->groupSelection();
  const QString group = document_.activeNode();
  graph_.groups()->describe(group, "My ReLU", "Mine", "Cuts off. In a group.");
  EXPECT_EQ(origin("group:group"), "document");
  const std::string before = bytes();
  ASSERT_TRUE(library_.save(&document_, group));
  EXPECT_EQ(bytes(), before) << "the document does not change";
  EXPECT_TRUE(library_.isTaken("My ReLU"));
  EXPECT_EQ(origin("block:own/my_relu"), "own");
  EXPECT_LT(row_of("group:group"), 0) << "listed once";
  Document other;
  ASSERT_TRUE(other.load(library_.ownFile("own/my_relu")));
  EXPECT_TRUE(other.validator().all().empty()) << "with the shapes that it had";
  library_.remove("own/my_relu");
  EXPECT_LT(row_of("block:own/my_relu"), 0);
  EXPECT_FALSE(library_.isTaken("My ReLU"));
  library_.remove("residual_basic");  // not one's own
  EXPECT_GE(row_of(kBasic), 0);
  undo_all();
}

TEST_F(LibraryModels, WhatCannotBeSavedIsReported) {
  document_.selectNode("relu");
  graph_.groups()->groupSelection();
  QFile file(own_.path() + "/blocks");  // where the folder should be
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.close();
  QString code;
  QObject::connect(&library_, &Library::refused, &library_, [&](const QString& c) { code = c; });
  EXPECT_FALSE(library_.save(&document_, document_.activeNode()));
  EXPECT_EQ(code, QLatin1String(codes::file_unwritable));
}

TEST_F(LibraryModels, AnUnusedDefinitionCanGo) {
  graph_.edits()->addNode(kBasic, 0, 300);
  graph_.groups()->describe("residual_basic", "Other", "", "");
  ASSERT_GE(row_of("group:residual_basic"), 0);
  EXPECT_FALSE(palette_.isUnused("group:residual_basic"));
  document_.deleteSelection();
  EXPECT_TRUE(palette_.isUnused("group:residual_basic"));
  palette_.removeGroup("group:residual_basic");
  EXPECT_TRUE(document_.graph().groups().empty());
  undo_all();
}

TEST_F(LibraryModels, SeveralGroupsAreDissolvedAtOnce) {
  document_.selectNode("relu");
  graph_.groups()->groupSelection();
  document_.selectNode("view");
  graph_.groups()->groupSelection();
  ASSERT_EQ(document_.graph().groups().size(), 2u);
  document_.selectAll();
  graph_.groups()->ungroupSelection();
  EXPECT_EQ(bytes(), first_);
  document_.undo();
  EXPECT_EQ(document_.graph().groups().size(), 2u) << "one step";
}

TEST_F(LibraryModels, TheInterfaceOfAGroupIsEdited) {
  graph_.edits()->addNodeLinked(kBasic, "data", "y", true, 400, 300);
  GroupInterfaceModel interface(document_);
  document_.selectNode("residual_basic");
  ASSERT_TRUE(interface.shown());
  ASSERT_EQ(interface.params().size(), 2);
  EXPECT_EQ(interface.params()[0].toMap()["sets"].toInt(), 2);
  interface.moveParam("dtype", 0);
  EXPECT_EQ(interface.params()[0].toMap()["id"].toString(), "dtype");
  interface.renameParam("channels", "Width");
  EXPECT_EQ(interface.params()[1].toMap()["label"].toString(), "Width");
  EXPECT_EQ(interface.setDefault("channels", "2*3"), "");
  EXPECT_EQ(interface.params()[1].toMap()["value"].toString(), "6");
  EXPECT_NE(interface.setDefault("channels", "-1"), "");
  EXPECT_EQ(problems(), "") << "6 channels come in, 6 go out";
  interface.renameSocket("x", "Picture");
  EXPECT_EQ(interface.inputs()[0].toMap()["label"].toString(), "Picture");
  undo_all();
}

TEST_F(LibraryModels, SocketsAreAddedInsideByWire) {
  graph_.edits()->addNode(kBasic, 0, 300);
  ASSERT_TRUE(graph_.groups()->enter("residual_basic"));
  graph_.groups()->addSocket("norm_1", "y", true);
  GroupInterfaceModel interface(document_);
  document_.clearSelection();
  ASSERT_TRUE(interface.shown()) << "of the group that is shown, while nothing is selected";
  ASSERT_EQ(interface.outputs().size(), 2);
  interface.moveSocket(interface.outputs()[1].toMap()["id"].toString(), 0);
  EXPECT_EQ(interface.outputs()[1].toMap()["id"].toString(), "y");
  undo_all();
}

TEST_F(LibraryModels, AParameterJoinsOneOfTheGroup) {
  InspectorModel inspector(document_);
  graph_.edits()->addNode(kBasic, 0, 300);
  graph_.groups()->enter("residual_basic");
  document_.selectNode("conv_1");
  EXPECT_EQ(inspector.joinable("groups").size(), 1);
  inspector.join("groups", "channels");
  EXPECT_EQ(std::get<int64_t>(param_value(*document_.flat().find("residual_basic/conv_1"), "groups")), 64);
  EXPECT_TRUE(inspector.joinable("groups").isEmpty()) << "it is one now";
  undo_all();
}

}  // namespace
}  // namespace hw::app::testing
