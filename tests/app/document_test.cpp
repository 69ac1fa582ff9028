// The document: history, merging, refusals, selection, files.
#include "app/document/document.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <fstream>

#include "app/document/edit_command.h"
#include "app/document/wire_checks.h"
#include "engine/io/graph/graph_file.h"
#include "tests/app/support.h"

namespace hw::app::testing::document_test {
namespace {

Link link(const char* from, const char* out, const char* to, const char* in) {
  return {from, out, to, in};
}

/// constant → relu, sigmoid alone, one frame.
void fill(Document& d) {
  Node c = node("c", "constant");
  c.x = 10;
  Frame frame{"f", "Front", 0, 0, 300, 200, "", std::nullopt, ""};
  const std::string out = Registry::instance().find("constant")->decl.outputs().front().id;
  const std::string in = Registry::instance().find("relu")->decl.inputs().front().id;
  ASSERT_TRUE(d.push("Fill", {AddNode{c}, AddNode{node("r", "relu")}, AddNode{node("s", "sigmoid")},
                              AddLink{{"c", out, "r", in}}, SetFrame{frame}}));
}

std::string socket_out(const char* type) {
  return Registry::instance().find(type)->decl.outputs().front().id;
}
std::string socket_in(const char* type) {
  return Registry::instance().find(type)->decl.inputs().front().id;
}

/// input → ReLU → output.
Group grouping() {
  Group group{"pair", "Pair", {}, {}, ""};
  for (const char* type : {"input", "output", "relu"}) group.graph.add_node(node(type, type));
  group.graph.add_link(link("input", "y", "relu", "x"));
  group.graph.add_link(link("relu", "y", "output", "x"));
  return group;
}

struct EditKind {
  const char* name;
  Edits edits;
};

std::vector<EditKind> kinds() {
  const std::string out = socket_out("constant"), in = socket_in("relu"), in_s = socket_in("sigmoid");
  return {{"AddNode", {AddNode{node("n", "mul")}}},
          {"RemoveLinkedNode", {RemoveNode{"c"}}},
          {"SetParam", {SetParam{"c", "value", 2.5}}},
          {"SetLabel", {SetLabel{"r", "Clip"}}},
          {"MoveNode", {MoveNode{"r", 40, -8}}},
          {"SetFlags", {SetFlags{"r", true, true}}},
          {"SetPreview", {SetPreview{"r", true}}},
          {"SetFrozen", {SetFrozen{"r", true}}},
          {"SetTie", {SetTie{"r", "c"}}},
          {"SetDevice", {SetDevice{"r", "ref"}}},
          {"SetWeight", {AddNode{node("l", "linear")}, SetWeight{"l", "bias", WeightFormat{DType::f16, true, false}}}},
          {"SetPolicy", {SetPolicy{{Policy::negotiate, DType::f16}}}},
          {"RemoveTiedOwner", {SetTie{"r", "c"}, SetTie{"s", "c"}, RemoveNode{"c"}}},
          {"AddLink", {AddLink{{"c", out, "s", in_s}}}},
          {"ReplaceLink", {AddNode{node("n", "constant")}, AddLink{{"n", out, "r", in}}}},
          {"RemoveLink", {RemoveLink{{"c", out, "r", in}}}},
          {"SetFrame", {SetFrame{{"f", "Back", 5, 5, 10, 10, "", std::nullopt, ""}}}},
          {"AddFrame", {SetFrame{{"g", "New", 5, 5, 10, 10, "red", "A note", ""}}}},
          {"RemoveFrame", {RemoveFrame{"f"}}},
          {"SetGroup", {SetGroup{grouping()}, AddNode{node("g", "group:pair")}}},
          {"Replace", {RemoveNode{"c"}, AddNode{node("c", "sigmoid")}}}};
}

TEST(DocumentHistory, UndoAndRedoOfEveryEditGiveEqualGraphsAndBytes) {
  for (const EditKind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    Document d;
    fill(d);
    const Graph before = d.graph();
    const std::string bytes_before = write_graph(before);
    ASSERT_TRUE(d.push(kind.name, kind.edits));
    const std::string bytes_after = write_graph(d.graph());
    for (int round = 0; round < 2; ++round) {
      d.undo();
      EXPECT_TRUE(d.graph() == before);
      EXPECT_EQ(write_graph(d.graph()), bytes_before);
      d.redo();
      EXPECT_EQ(write_graph(d.graph()), bytes_after);
    }
    EXPECT_NE(bytes_after, bytes_before);
  }
}

TEST(DocumentHistory, UndoKeepsTheValidatorInStep) {
  Document d;
  fill(d);
  const auto typed = [&] { return d.validator().output_type("r", socket_out("relu")).has_value(); };
  EXPECT_TRUE(typed());
  d.push("Cut", {RemoveLink{link("c", socket_out("constant").c_str(), "r", socket_in("relu").c_str())}});
  EXPECT_FALSE(typed());
  EXPECT_FALSE(d.validator().of("r").empty());
  d.undo();
  EXPECT_TRUE(typed());
  EXPECT_TRUE(d.validator().of("r").empty());
}

TEST(DocumentHistory, RefusedEditsLeaveNoTrace) {
  Document d;
  fill(d);
  Refusals refusals(d);
  const std::string before = write_graph(d.graph());
  const QString undo_text = d.undoText();
  EXPECT_FALSE(d.push("Half good", {AddNode{node("n", "mul")}, RemoveNode{"nobody"}}));
  EXPECT_EQ(refusals.count, 1);
  EXPECT_EQ(refusals.code, "HW-G003");
  EXPECT_TRUE(refusals.reason.contains("nobody"));
  EXPECT_EQ(write_graph(d.graph()), before);
  EXPECT_EQ(d.undoText(), undo_text);
  EXPECT_FALSE(d.canRedo());
}

TEST(DocumentHistory, ADragMergesIntoOneStepAndEndMergeStartsAnother) {
  Document d;
  fill(d);
  const std::string before = write_graph(d.graph());
  for (int x = 1; x <= 60; ++x) ASSERT_TRUE(d.push("Move", {MoveNode{"r", 1.0 * x, 0}, MoveNode{"s", 2.0 * x, 0}}, 7));
  d.endMerge();
  for (int x = 1; x <= 60; ++x) ASSERT_TRUE(d.push("Move", {MoveNode{"r", 60.0 + x, 0}}, 7));
  EXPECT_EQ(d.graph().find("r")->x, 120);
  d.undo();
  EXPECT_EQ(d.graph().find("r")->x, 60);
  EXPECT_EQ(d.graph().find("s")->x, 120);
  d.undo();
  EXPECT_EQ(write_graph(d.graph()), before);
  d.redo();
  d.redo();
  EXPECT_EQ(d.graph().find("r")->x, 120);
}

TEST(DocumentHistory, MergedSettingsKeepOneEditEach) {
  Edits edits;
  for (int i = 0; i < 100; ++i) edits.push_back(MoveNode{i % 2 ? "a" : "b", 1.0 * i, 0});
  keep_last_settings(edits);
  ASSERT_EQ(edits.size(), 2u);
  edits.push_back(RemoveNode{"a"});
  edits.push_back(MoveNode{"b", 1, 1});
  keep_last_settings(edits);
  EXPECT_EQ(edits.size(), 4u) << "order matters where something is added or removed";
}

TEST(DocumentHistory, MergingStopsAtUndoAndAtSave) {
  QTemporaryDir folder;
  Document d;
  fill(d);
  d.push("Move", {MoveNode{"r", 1, 0}}, 7);
  ASSERT_TRUE(d.saveAs(QUrl::fromLocalFile(folder.filePath("g.halfwire"))));
  EXPECT_FALSE(d.modified());
  d.push("Move", {MoveNode{"r", 2, 0}}, 7);
  EXPECT_TRUE(d.modified());
  d.undo();
  EXPECT_FALSE(d.modified());
  EXPECT_EQ(d.graph().find("r")->x, 1);
}

TEST(DocumentSignals, ReportWhatChangedAfterTheGraphDid) {
  Document d;
  QStringList heard;
  QObject::connect(&d, &Document::nodesAdded, &d, [&](const QStringList& ids) {
    heard << "added " + ids.join(",");
    EXPECT_NE(d.graph().find(ids.first().toStdString()), nullptr);
  });
  QObject::connect(&d, &Document::nodesRemoved, &d,
                   [&](const QStringList& ids) { heard << "removed " + ids.join(","); });
  QObject::connect(&d, &Document::nodesChanged, &d,
                   [&](const QStringList& ids) { heard << "changed " + ids.join(","); });
  QObject::connect(&d, &Document::linksChanged, &d, [&] { heard << "links"; });
  QObject::connect(&d, &Document::structureChanged, &d, [&] { heard << "structure"; });
  fill(d);
  EXPECT_EQ(heard, (QStringList{"added c,r,s", "links", "structure"}));
  heard.clear();
  d.push("Move", {MoveNode{"r", 3, 3}});
  EXPECT_EQ(heard, (QStringList{"changed r"}));
  heard.clear();
  d.push("Delete", {RemoveNode{"c"}});
  EXPECT_EQ(heard, (QStringList{"removed c", "links", "structure"}));
  heard.clear();
  d.undo();
  EXPECT_EQ(heard, (QStringList{"added c", "links", "structure"}));
}

TEST(DocumentSelection, ForgetsWhatIsGone) {
  Document d;
  fill(d);
  d.select({"c", "r"}, "c", {link("c", socket_out("constant").c_str(), "r", socket_in("relu").c_str())});
  d.push("Delete", {RemoveNode{"c"}});
  EXPECT_EQ(d.selection().nodes(), (QSet<QString>{"r"}));
  EXPECT_TRUE(d.activeNode().isEmpty());
  EXPECT_TRUE(d.selection().links().empty());
  d.selectAll();
  d.deleteSelection();
  EXPECT_TRUE(d.empty());
  EXPECT_EQ(d.undoText(), "Delete 2 nodes");
}

TEST(DocumentFiles, SaveAndLoadGiveTheSameGraphAndWeights) {
  QTemporaryDir folder;
  const QUrl file = QUrl::fromLocalFile(folder.filePath("texture.halfwire"));
  const Edits parameter{
      AddNode{node("w", "parameter", {{"shape", std::vector<double>{2}}, {"dtype", std::string("f16")}})}};
  Document d;
  fill(d);
  ASSERT_TRUE(d.push("Add", parameter));
  auto weights = std::make_shared<std::map<std::string, Tensor>>();
  const std::vector<float> values{1.5F, -2.0F};
  weights->emplace("w.value", Tensor::from_f32(DType::f16, {2}, values));
  {
    Document writer;
    fill(writer);
    ASSERT_TRUE(writer.push("Add", parameter));
    writer.weights()->set(weights);
    EXPECT_TRUE(writer.modified());
    ASSERT_TRUE(writer.saveAs(file));
    EXPECT_FALSE(writer.modified());
    EXPECT_EQ(writer.title(), "texture");
  }  // waits for the weights
  EXPECT_TRUE(QFile::exists(folder.filePath("texture.safetensors")));
  Document reader;
  ASSERT_TRUE(reader.load(file));
  EXPECT_TRUE(reader.graph() == d.graph());
  EXPECT_FALSE(reader.canUndo());
  ASSERT_TRUE(wait_for([&] { return reader.weights()->tensors() != nullptr; }));
  EXPECT_EQ(reader.weights()->tensors()->at("w.value").to_f64(), (std::vector<double>{1.5, -2}));
  EXPECT_FALSE(reader.modified());
}

TEST(DocumentFiles, SaveAsWithoutWeightsLeavesNoneOfAnotherGraphBeside) {
  QTemporaryDir folder;
  std::ofstream(folder.filePath("g.safetensors").toStdString()) << "of another graph";
  Document d;
  fill(d);
  ASSERT_TRUE(d.saveAs(QUrl::fromLocalFile(folder.filePath("g.halfwire"))));
  EXPECT_FALSE(QFile::exists(folder.filePath("g.safetensors")));
  EXPECT_TRUE(QFile::exists(folder.filePath("g.previous.safetensors"))) << "set aside, not destroyed";
}

TEST(DocumentFiles, WeightsThatCannotBeWrittenAreSaidBeforeTheDocumentGoes) {
  QTemporaryDir folder;
  ASSERT_TRUE(QDir(folder.path()).mkdir("g.safetensors"));  // where the weights would go
  Document d;
  fill(d);
  Refusals refusals(d);
  auto weights = std::make_shared<std::map<std::string, Tensor>>();
  weights->emplace("r.w", Tensor::zeros(DType::f32, {2}));
  d.weights()->set(weights);
  ASSERT_TRUE(d.saveAs(QUrl::fromLocalFile(folder.filePath("g.halfwire"))));
  EXPECT_FALSE(d.weights()->written());
  ASSERT_TRUE(wait_for([&] { return refusals.count > 0; }));
  EXPECT_EQ(refusals.code, "HW-F002");
  EXPECT_TRUE(d.modified());
  QDir(folder.path()).rmdir("g.safetensors");
  ASSERT_TRUE(d.save());
  EXPECT_TRUE(d.weights()->written());
}

TEST(DocumentFiles, ABadFileChangesNothing) {
  QTemporaryDir folder;
  std::ofstream(folder.filePath("bad.halfwire").toStdString()) << "{\"nodes\": [";
  Document d;
  fill(d);
  Refusals refusals(d);
  const std::string before = write_graph(d.graph());
  EXPECT_FALSE(d.load(QUrl::fromLocalFile(folder.filePath("bad.halfwire"))));
  EXPECT_EQ(refusals.code, "HW-F003");
  EXPECT_FALSE(d.load(QUrl::fromLocalFile(folder.filePath("none.halfwire"))));
  EXPECT_EQ(refusals.code, "HW-F001");
  EXPECT_EQ(write_graph(d.graph()), before);
  EXPECT_TRUE(d.canUndo());
}

TEST(DocumentFiles, UndoBringsBackWhatOnlyAFileCanHold) {
  QTemporaryDir folder;
  std::ofstream(folder.filePath("odd.halfwire").toStdString()) << R"({"halfwire": 1, "nodes": [
    {"id": "a", "type": "abs"}, {"id": "m", "type": "mlp", "params": {"strange": 3}}],
    "links": [["a.y", "m.nowhere"], ["a.gone", "m.x"], ["a.y", "m.x"]]})";
  Document d;
  ASSERT_TRUE(d.load(QUrl::fromLocalFile(folder.filePath("odd.halfwire"))));
  Refusals refusals(d);
  const std::string before = write_graph(d.graph());
  for (const char* id : {"a", "m"}) {
    ASSERT_TRUE(d.push("Delete", {RemoveNode{id}}));
    const std::string after = write_graph(d.graph());
    d.undo();
    EXPECT_EQ(write_graph(d.graph()), before) << id;
    d.redo();
    EXPECT_EQ(write_graph(d.graph()), after) << id;
    d.undo();
  }
  EXPECT_EQ(refusals.count, 0);
}

TEST(DocumentFiles, WhatCannotBeWrittenIsSaidAndStaysModified) {
  Document d;
  fill(d);
  Refusals refusals(d);
  EXPECT_FALSE(d.save());
  EXPECT_FALSE(d.saveAs(QUrl::fromLocalFile("/proc/nowhere/x.halfwire")));
  EXPECT_EQ(refusals.code, "HW-F002");
  EXPECT_EQ(refusals.count, 2);
  EXPECT_TRUE(d.modified());
  EXPECT_TRUE(d.path().isEmpty());
}

TEST(DocumentFiles, BrokenWeightsAreRefusedButTheGraphOpens) {
  QTemporaryDir folder;
  const QUrl file = QUrl::fromLocalFile(folder.filePath("g.halfwire"));
  {
    Document writer;
    fill(writer);
    ASSERT_TRUE(writer.saveAs(file));
  }
  std::ofstream(folder.filePath("g.safetensors").toStdString()) << "not weights";
  Document d;
  Refusals refusals(d);
  ASSERT_TRUE(d.load(file));
  ASSERT_TRUE(wait_for([&] { return refusals.count > 0; }));
  EXPECT_EQ(refusals.code, "HW-F003");
  EXPECT_EQ(d.weights()->tensors(), nullptr);
}

TEST(DocumentGroups, RunFlattenedAndFollowEdits) {
  Document d;
  const std::string out = socket_out("constant");
  ASSERT_TRUE(d.push(
      "Fill", {SetGroup{grouping()}, AddNode{node("c", "constant")}, AddNode{node("g", "group:pair")},
               AddNode{node("s", "sigmoid")}, AddLink{{"c", out, "g", "input"}}, AddLink{{"g", "output", "s", "x"}}}));
  ASSERT_TRUE(d.flat().find("g/relu"));
  EXPECT_TRUE(d.validator().all().empty()) << to_string(d.validator().all().front());
  EXPECT_TRUE(d.validator().output_type("g", "output")) << "wires of instances have types";
  QStringList changed;
  QObject::connect(&d, &Document::validationChanged, [&](const QStringList& ids) { changed = ids; });
  ASSERT_TRUE(d.push("Unwire", {RemoveLink{{"c", out, "g", "input"}}, RemoveNode{"s"}}));
  EXPECT_TRUE(changed.contains("g")) << "reported of the instance, not of its nodes";
  Group cut = grouping();
  cut.graph.remove_link(link("input", "y", "relu", "x"));
  ASSERT_TRUE(d.push("Cut", {SetGroup{cut}}));
  ASSERT_EQ(d.validator().of("g/relu").size(), 1u);
  QString shown;
  QObject::connect(&d, &Document::revealRequested, [&](const QString& id) { shown = id; });
  d.reveal("g/relu");
  EXPECT_EQ(d.shown().path(), "g") << "the group is on the canvas";
  EXPECT_EQ(shown, "relu");
  EXPECT_EQ(d.activeNode(), "relu");
  EXPECT_EQ(d.activePath(), "g/relu");
  while (d.canUndo()) d.undo();
  EXPECT_TRUE(d.flat().nodes().empty());
  EXPECT_TRUE(d.graph().groups().empty());
}

/// Records the signals about the graph on the canvas.
struct ChangeSpy {
  explicit ChangeSpy(Document& d) {
    QObject::connect(&d, &Document::nodesAdded, &context, [this](const QStringList& ids) { added += ids; });
    QObject::connect(&d, &Document::nodesRemoved, &context, [this](const QStringList& ids) { removed += ids; });
    QObject::connect(&d, &Document::nodesChanged, &context, [this](const QStringList& ids) { changed += ids; });
    QObject::connect(&d, &Document::linksChanged, &context, [this](const QStringList&) { ++links; });
    QObject::connect(&d, &Document::structureChanged, &context, [this] { ++structure; });
    QObject::connect(&d, &Document::shownChanged, &context, [this] { ++shown; });
  }
  QObject context;  // of the connections
  QStringList added, removed, changed;
  int links = 0, structure = 0, shown = 0;
};

TEST(DocumentGroups, EditsInAGroupAreOfItsDefinitionAndUndoGoesToWhereTheyWereMade) {
  Document d;
  ASSERT_TRUE(
      d.push("Fill", {SetGroup{grouping()}, AddNode{node("one", "group:pair")}, AddNode{node("two", "group:pair")}}));
  const std::string before = write_graph(d.graph());
  d.openGroup("one");
  EXPECT_TRUE(d.shown().graph().find("relu"));
  {
    const ChangeSpy spy(d);
    ASSERT_TRUE(d.push("Move", {MoveNode{"relu", 50, 60}}));
    EXPECT_EQ(spy.changed, QStringList{"relu"});
    EXPECT_EQ(spy.structure, 0) << "where a node lies is nothing that runs";
    ASSERT_TRUE(d.push("Add", {AddNode{node("tanh", "tanh")}, AddLink{{"relu", "y", "tanh", "x"}}}));
    EXPECT_EQ(spy.added, QStringList{"tanh"});
    EXPECT_EQ(spy.links, 1);
    EXPECT_EQ(spy.structure, 1);
    EXPECT_TRUE(spy.removed.isEmpty());
  }
  EXPECT_TRUE(d.flat().find("two/tanh")) << "all instances follow";
  const std::string after = write_graph(d.graph());
  d.openGroup("");
  {
    const ChangeSpy spy(d);
    d.undo();
    EXPECT_EQ(d.shown().path(), "one");
    EXPECT_EQ(spy.shown, 1);
    EXPECT_EQ(spy.removed, QStringList{"tanh"});
  }
  d.undo();
  EXPECT_EQ(write_graph(d.graph()), before);
  d.openGroup("two");
  d.redo();
  EXPECT_EQ(d.shown().path(), "one");
  d.redo();
  EXPECT_EQ(write_graph(d.graph()), after);
  while (d.canUndo()) d.undo();
  EXPECT_EQ(d.shown().path(), "") << "the group is gone";
}

TEST(DocumentGroups, AGroupThatGoesAwayIsLeft) {
  Document d;
  ASSERT_TRUE(d.push("Fill", {SetGroup{grouping()}, AddNode{node("one", "group:pair")}}));
  d.openGroup("one");
  const ChangeSpy spy(d);
  ASSERT_TRUE(d.pushDocument("Remove", {RemoveNode{"one"}}));
  EXPECT_EQ(d.shown().path(), "");
  EXPECT_EQ(spy.shown, 1);
  d.openGroup("no/such");
  EXPECT_EQ(d.shown().path(), "");
}

TEST(DocumentGroups, WiresOfInstancesAreCheckedByWhatIsInThem) {
  Group layer{"layer", "", {}, {}, ""};
  for (const auto& [id, type] : {std::pair("x", "input"), {"linear", "linear"}, {"y", "output"}})
    layer.graph.add_node(node(id, type));
  layer.graph.add_link({"x", "y", "linear", "x"});
  layer.graph.add_link({"linear", "y", "y", "x"});
  Document document;
  ASSERT_TRUE(document.push("add", {SetGroup{layer}, AddNode{node("mesh", "mesh_source")},
                                    AddNode{node("data", "random")}, AddNode{node("one", "group:layer")}}));
  EXPECT_TRUE(check_link(document, {"mesh", "mesh", "one", "x"})) << "a mesh is no tensor";
  EXPECT_FALSE(check_link(document, {"data", "y", "one", "x"}));
  ASSERT_TRUE(document.push("wire", {AddLink{{"data", "y", "one", "x"}}}));
  const NodeType &relu = *Registry::instance().find("relu"), &mesh = *Registry::instance().find("mesh_source");
  EXPECT_EQ(fitting_socket(document, "one", "y", true, relu), "x");
  EXPECT_EQ(fitting_socket(document, "one", "x", false, relu), "y");
  EXPECT_FALSE(fitting_socket(document, "one", "x", false, mesh));
}

}  // namespace
}  // namespace hw::app::testing::document_test
