// The view-models: problems and their remedies, inspector, palette, tensor table, formats.
#include <gtest/gtest.h>

#include <cmath>

#include "app/document/text.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/palette/palette_model.h"
#include "app/models/problems/problems_model.h"
#include "app/models/run/run_model.h"
#include "app/models/tensors/tensor_table_model.h"
#include "app/models/text/format.h"
#include "app/models/views/field_model.h"
#include "app/models/views/plot_columns.h"
#include "app/models/views/view_choice.h"
#include "engine/io/asset/asset_refs.h"
#include "tests/app/support.h"
#include "tests/engine/quad_assets.h"

namespace hw::app::testing {
namespace {

QVariant cell(const QAbstractItemModel& model, int row, int role, int column = 0) {
  return model.data(model.index(row, column), role);
}

/// An f16 constant wired into an MLP that wants f32: one dtype error with remedies; and a hash grid without input.
void push_clash(Document& d) {
  ASSERT_TRUE(d.push(
      "Clash", {AddNode{node("c", "constant", {{"dtype", std::string("f16")}, {"shape", std::vector<double>{8, 4}}})},
                AddNode{node("h", "hash_grid", {{"dtype", std::string("f16")}})},
                AddNode{node("p", "mlp", {{"dtype", std::string("f32")}})}, AddLink{{"c", "y", "p", "x"}}}));
}

int error_row(const ProblemsModel& model, const QString& code) {
  for (int i = 0; i < model.count(); ++i) {
    if (cell(model, i, ProblemsModel::CodeRole).toString() == code) return i;
  }
  return -1;
}

TEST(Problems, ARemedyIsOneUndoStepThatMendsTheWire) {
  Document d;
  push_clash(d);
  ProblemsModel model(d);
  const int row = error_row(model, "HW-D001");
  ASSERT_GE(row, 0);
  EXPECT_EQ(cell(model, row, ProblemsModel::SeverityRole), "error");
  EXPECT_EQ(cell(model, row, ProblemsModel::NodeRole), "p");
  const QStringList remedies = cell(model, row, ProblemsModel::RemediesRole).toStringList();
  ASSERT_FALSE(remedies.isEmpty());
  const int errors = model.errors();
  for (int remedy = 0; remedy < remedies.size(); ++remedy) {
    SCOPED_TRACE(remedies[remedy].toStdString());
    model.apply(error_row(model, "HW-D001"), remedy);
    EXPECT_EQ(d.undoText(), remedies[remedy]);
    EXPECT_TRUE(wait_for([&] { return error_row(model, "HW-D001") < 0; }));
    EXPECT_LT(model.errors(), errors);
    d.undo();
    EXPECT_TRUE(wait_for([&] { return error_row(model, "HW-D001") >= 0; }));
  }
}

/// Two red wires, each with its Cast as remedy: the second is no less a click than the first.
TEST(Problems, WhatAnInstanceSetsInVainIsSaidAndRemoved) {
  Document d;
  Group group{"unit", "Unit", {}, {}, ""};
  for (const char* id : {"input", "output"}) group.graph.add_node(node(id, id));
  ASSERT_TRUE(d.push("Fill", {SetGroup{group}, AddNode{node("u", "group:unit", {{"width", int64_t{3}}})}}));
  ProblemsModel model(d);
  const int row = error_row(model, "HW-P002");
  ASSERT_GE(row, 0);
  const int errors = model.errors();  // what nothing leads to has its own
  model.apply(row, 0);
  EXPECT_TRUE(d.graph().find("u")->params.empty());
  EXPECT_TRUE(wait_for([&] { return model.errors() == errors - 1; }));
  EXPECT_LT(error_row(model, "HW-P002"), 0);
}

TEST(Problems, TheSameRemedyServesOneRowAfterTheOther) {
  Document d;
  ASSERT_TRUE(d.push(
      "Fill", {AddNode{node("c", "constant", {{"dtype", std::string("f16")}, {"shape", std::vector<double>{4, 8}}})},
               AddNode{node("m", "mlp")}, AddNode{node("n", "mlp")}, AddLink{{"c", "y", "m", "x"}},
               AddLink{{"c", "y", "n", "x"}}}));
  Refusals refusals(d);
  ProblemsModel model(d);
  ASSERT_EQ(model.errors(), 2);
  for (int left = 1; left >= 0; --left) {
    model.apply(error_row(model, "HW-D001"), 0);
    EXPECT_TRUE(wait_for([&] { return model.errors() == left; }));
  }
  EXPECT_EQ(refusals.count, 0) << refusals.reason.toStdString();
  EXPECT_TRUE(d.graph().find("cast_2"));
}

TEST(Problems, RevealSelectsAndAsksTheCanvas) {
  Document d;
  push_clash(d);
  ProblemsModel model(d);
  QStringList shown;
  QObject::connect(&d, &Document::revealRequested, &d, [&](const QString& id) { shown << id; });
  for (int i = 0; i < model.count(); ++i) model.revealNext();
  EXPECT_EQ(model.current(), model.count() - 1);
  model.revealNext();
  EXPECT_EQ(model.current(), 0) << "around the end";
  EXPECT_EQ(d.activeNode(), cell(model, 0, ProblemsModel::NodeRole).toString());
  EXPECT_FALSE(shown.isEmpty());
}

TEST(Problems, ErrorsComeFirstAndHintsLast) {
  Document d;
  push_clash(d);
  ProblemsModel model(d);
  Diagnostic hint{}, warning{};
  hint.severity = Severity::info;
  warning.severity = Severity::warning;
  hint.reason = "a hint.";
  warning.reason = "a warning.";
  model.setFindings({hint, warning});
  ASSERT_GE(model.count(), 3);
  EXPECT_EQ(cell(model, 0, ProblemsModel::SeverityRole), "error");
  EXPECT_EQ(cell(model, model.count() - 1, ProblemsModel::ReasonRole), "A hint.");
  model.setRunError({"HW-R003", "p.x", "the loss became NaN.", ""});
  EXPECT_EQ(cell(model, 0, ProblemsModel::CodeRole), "HW-R003");
}

TEST(Problems, NodesOfTheSameNameAreDistinguished) {
  Document d;
  push_clash(d);
  ASSERT_TRUE(d.push("Another", {AddNode{node("p_2", "mlp")}, AddLink{{"c", "y", "p_2", "x"}}}));
  ProblemsModel model(d);
  QStringList places;
  for (int row = 0; row < model.count(); ++row) places << cell(model, row, ProblemsModel::NodeTitleRole).toString();
  EXPECT_TRUE(places.contains("MLP (p) › x")) << places.join(", ").toStdString();
  EXPECT_TRUE(places.contains("MLP (p_2) › x")) << places.join(", ").toStdString();
  ASSERT_TRUE(d.push("Name", {SetLabel{"p_2", "Head"}}));
  EXPECT_TRUE(wait_for([&] {
    const int row = error_row(model, "HW-D001");
    return row >= 0 && cell(model, row, ProblemsModel::NodeTitleRole) == "MLP › x";
  }));
}

TEST(Problems, AMissingDataSetAsksForItsFolderInWordsOfTheWindow) {
  Document d;
  ASSERT_TRUE(d.push("Add", {AddNode{node("data", "dataset_source", {{"path", std::string("asset:no-such-set")}})}}));
  ProblemsModel model(d);
  Diagnostic missing = asset_problem(asset_refs(d.flat()).front(),
                                     {"HW-A001", "asset:no-such-set", "there is no such asset.",
                                      "Choose where it is (on the command line: --set NODE.path=FOLDER)."});
  missing.remedies.push_back({"Choose Folder…", {}});
  EXPECT_EQ(model.fileRemedy("HW-A001"), "");
  model.setFindings({missing});
  EXPECT_EQ(model.fileRemedy("HW-R001"), "");
  ASSERT_EQ(model.fileRemedy("HW-A001"), "Choose Folder…");
  QString wanted;
  QObject::connect(&model, &ProblemsModel::fileWanted, &model,
                   [&](const QString& node, const QString& param, bool folder) {
                     wanted = node + "." + param + (folder ? " folder" : "");
                   });
  model.applyFileRemedy();
  EXPECT_EQ(wanted, "data.path folder");
  for (int row = 0; row < model.count(); ++row)
    EXPECT_FALSE(cell(model, row, ProblemsModel::ReasonRole).toString().contains("command line"));
}

TEST(Problems, AFailedRunIsListedUntilItIsOver) {
  Document d;
  ProblemsModel model(d);
  model.setRunError({"HW-R003", "p.x", "the loss became NaN.", "Lower the learning rate."});
  ASSERT_EQ(model.count(), 1);
  EXPECT_EQ(cell(model, 0, ProblemsModel::CodeRole), "HW-R003");
  model.setRunError({});
  EXPECT_EQ(model.count(), 0);
}

int param_row(const InspectorModel& model, const char* param) {
  for (int i = 0; i < model.rowCount(); ++i) {
    if (cell(model, i, InspectorModel::ParamRole).toString() == QLatin1String(param)) return i;
  }
  return -1;
}

TEST(Inspector, FollowsTheActiveNode) {
  Document d;
  push_clash(d);
  InspectorModel model(d);
  EXPECT_TRUE(model.node().isEmpty());
  d.selectNode("h");
  EXPECT_EQ(model.node(), "h");
  const int row = param_row(model, "dtype");
  ASSERT_GE(row, 0);
  EXPECT_EQ(cell(model, row, InspectorModel::ValueRole), "f16");
  EXPECT_EQ(cell(model, row, InspectorModel::KindRole), "dtype");
  EXPECT_TRUE(cell(model, row, InspectorModel::FactsRole).toString().contains("65504"));
  EXPECT_TRUE(model.docs().join(QString()).contains("Parameters"));
  d.push("Delete", {RemoveNode{"h"}});
  EXPECT_TRUE(model.node().isEmpty());
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(Inspector, WeightsAreFrozenAndSharedAndThatIsUndone) {
  Document d;
  ASSERT_TRUE(d.push("Two", {AddNode{node("a", "linear")}, AddNode{node("b", "linear")}, AddNode{node("r", "relu")}}));
  InspectorModel model(d);
  d.selectNode("r");
  EXPECT_FALSE(model.hasWeights());
  d.selectNode("b");
  EXPECT_TRUE(model.hasWeights());
  EXPECT_EQ(model.tieChoices(), QStringList{"a"});
  int emitted = 0;
  QObject::connect(&model, &InspectorModel::weightsChanged, &model, [&] { ++emitted; });
  model.setFrozen(true);
  EXPECT_TRUE(d.graph().find("b")->frozen);
  EXPECT_GT(emitted, 0);
  EXPECT_EQ(d.undoText(), "Freeze");
  model.setTie("a");
  EXPECT_EQ(model.tie(), "a");
  EXPECT_EQ(d.graph().find("b")->tie, "a");
  d.undo();
  d.undo();
  EXPECT_FALSE(model.frozen());
  EXPECT_EQ(model.tie(), "");
  const QString before = d.undoText();
  model.setTie("");
  model.setFrozen(false);
  EXPECT_EQ(d.undoText(), before) << "nothing changed, nothing to undo";
}

TEST(Inspector, TypedValuesAreCheckedAndWrongOnesChangeNothing) {
  Document d;
  push_clash(d);
  d.selectNode("h");
  InspectorModel model(d);
  d.clearSelection();
  d.selectNode("h");
  const int row = param_row(model, "levels");
  EXPECT_EQ(model.setText("levels", "8"), "");
  EXPECT_EQ(cell(model, row, InspectorModel::ValueRole), 8);
  EXPECT_FALSE(cell(model, row, InspectorModel::IsDefaultRole).toBool());
  const QString undo = d.undoText();
  for (const char* wrong : {"eight", "-3", "1e99", ""}) {
    EXPECT_NE(model.setText("levels", wrong), "") << wrong;
    EXPECT_EQ(cell(model, row, InspectorModel::ValueRole), 8);
  }
  EXPECT_EQ(d.undoText(), undo);
  model.resetParam("levels");
  EXPECT_TRUE(cell(model, row, InspectorModel::IsDefaultRole).toBool());
  d.undo();
  EXPECT_EQ(cell(model, row, InspectorModel::ValueRole), 8);
}

TEST(Inspector, AScrubIsOneUndoStepWithinTheRange) {
  Document d;
  push_clash(d);
  InspectorModel model(d);
  d.selectNode("h");
  const int row = param_row(model, "levels");
  const int start = cell(model, row, InspectorModel::ValueRole).toInt();
  const QString undo = d.undoText();
  for (int steps = 1; steps < 4000; steps += 13) model.setValue("levels", model.scrubbed("levels", start, steps), true);
  model.endDrag();
  const QVariant maximum = cell(model, row, InspectorModel::MaxRole);
  ASSERT_TRUE(maximum.isValid());
  EXPECT_EQ(cell(model, row, InspectorModel::ValueRole).toInt(), maximum.toInt());
  d.undo();
  EXPECT_EQ(cell(model, row, InspectorModel::ValueRole).toInt(), start);
  EXPECT_EQ(d.undoText(), undo);
}

TEST(Inspector, RenamesAndShowsUnknownTypesAsTheyAre) {
  Document d;
  d.push("Add", {AddNode{node("r", "relu")}, AddNode{node("u", "from_the_future")}});
  InspectorModel model(d);
  d.selectNode("r");
  model.setLabel("  Clip ");
  EXPECT_EQ(model.title(), "Clip");
  model.setLabel(model.typeTitle());
  EXPECT_TRUE(d.graph().find("r")->label.empty());
  d.selectNode("u");
  EXPECT_FALSE(model.known());
  EXPECT_EQ(model.typeTitle(), "from_the_future");
}

TEST(Palette, SearchRanksTitlesBeforeKeywords) {
  Library library({}, {});
  PaletteModel model(library);
  EXPECT_EQ(model.count(), static_cast<int>(Registry::instance().all().size()));
  model.setFilter("mlp");
  ASSERT_GT(model.count(), 0);
  EXPECT_EQ(model.typeAt(0), "mlp");
  model.setFilter("hgrid");
  ASSERT_GT(model.count(), 0);
  EXPECT_EQ(model.typeAt(0), "hash_grid");
  model.setFilter("grid hash");
  ASSERT_GT(model.count(), 0);
  EXPECT_EQ(model.typeAt(0), "hash_grid") << "words in any order";
  model.setFilter("mesh_source");
  ASSERT_GT(model.count(), 0);
  EXPECT_EQ(model.typeAt(0), "mesh_source") << "by id";
  model.setFilter("zzzz");
  EXPECT_EQ(model.count(), 0);
}

TEST(Table, SlicesTheLeadingAxes) {
  std::vector<double> values(2 * 3 * 4);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  TensorTableModel table;
  table.setTensor(Tensor::from_f64(DType::f32, {2, 3, 4}, values));
  EXPECT_EQ(table.rowCount(), 3);
  EXPECT_EQ(table.columnCount(), 4);
  EXPECT_EQ(table.columnName(3), "3 w");
  EXPECT_EQ(table.leading(), (QList<int>{2}));
  EXPECT_EQ(cell(table, 2, Qt::DisplayRole, 3), "11");
  table.setSlice(0, 1);
  EXPECT_EQ(cell(table, 2, Qt::DisplayRole, 3), "23");
  table.setSlice(0, 99);
  EXPECT_EQ(table.slice(), (QList<int>{1}));
  table.setTensor(Tensor::from_f64(DType::f32, {2, 3, 4}, std::vector<double>(24, 5)));
  EXPECT_EQ(table.slice(), (QList<int>{1})) << "a new snapshot keeps the slice";
  table.setTensor(Tensor::from_f64(DType::f32, {3}, std::vector<double>{1, NAN, 3}));
  EXPECT_EQ(table.rowCount(), 3);
  EXPECT_EQ(table.columnCount(), 1);
  EXPECT_EQ(table.columnName(0), "0");
  EXPECT_TRUE(cell(table, 1, TensorTableModel::BadRole).toBool());
  table.setTensor(Tensor::from_f64(DType::f32, {}, std::vector<double>{7}));
  EXPECT_EQ(cell(table, 0, Qt::DisplayRole), "7");
  table.setTensor(Tensor());
  EXPECT_EQ(table.rowCount(), 0) << "no tensor and a scalar both have no axes";
}

TEST(Formats, AreForPeople) {
  EXPECT_EQ(format_number(0.00012), "0.00012");
  EXPECT_EQ(format_number(1.234567e-7), "1.235e−7");
  EXPECT_EQ(format_number(-65504, 5), "−65504");
  EXPECT_EQ(format_number(NAN), "NaN");
  EXPECT_EQ(format_scale(65536), "65536");
  EXPECT_EQ(format_scale(134217728), "2^27");
  EXPECT_EQ(format_scale(0x1p-24), "2^−24");
  EXPECT_EQ(format_scale(3000000), "3e6");
  EXPECT_EQ(format_count(950), "950");
  EXPECT_EQ(format_count(12600), "12.6 k");
  EXPECT_EQ(format_count(2097152), "2.10 M");
  EXPECT_EQ(format_ms(0.85), "850 µs");
  EXPECT_EQ(format_ms(3.2), "3.20 ms");
  EXPECT_EQ(format_duration(200), "3 min 20 s");
  EXPECT_EQ(format_bytes(232.0 * 1024 * 1024), "232 MiB");
}

TEST(Formats, ASentenceBeginsLargeButANameStays) {
  EXPECT_EQ(sentence("the wire carries f16."), "The wire carries f16.");
  EXPECT_EQ(sentence("box.obj: the model has no UVs."), "box.obj: the model has no UVs.");
  EXPECT_EQ(sentence("asset:mnist: there is no such asset."), "asset:mnist: there is no such asset.");
  EXPECT_EQ(sentence(""), "");
}

TEST(Losses, ColumnsKeepTheExtremes) {
  std::vector<float> losses(1000, 1.0F);
  losses[505] = 9;
  losses[7] = NAN;
  const auto columns = columns_of(losses, 1000, 10);
  ASSERT_EQ(columns.size(), 10u);
  EXPECT_EQ(columns[5].high, 9);
  EXPECT_EQ(columns[5].low, 1);
  EXPECT_EQ(columns[0].high, 1);
  EXPECT_TRUE(columns_of({}, 0, 10)[3].any == false);
}

TEST(Plots, ColumnsFollowXAndBreakWhereThereIsNoNumber) {
  const auto columns = columns_of({-1, 0, 0.1, 1, NAN}, {5, 2, 8, NAN, 3}, -1, 1, 4);
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[0].last, 5);
  EXPECT_FALSE(columns[1].any);
  EXPECT_EQ(columns[2].low, 2);
  EXPECT_EQ(columns[2].high, 8);
  EXPECT_FALSE(columns[2].broken);
  EXPECT_FALSE(columns[3].any);
  EXPECT_TRUE(columns[3].broken);
  EXPECT_EQ(columns_of({2, 2}, {1, 3}, 2, 2, 5)[2].high, 3) << "one place is the middle";
}

TEST(Views, TheOneThatTheGraphAsksForIsShown) {
  Document d;
  ViewChoice view(d);
  EXPECT_EQ(view.kind(), "viewport") << "an empty graph";
  ASSERT_TRUE(d.push("Plot", {AddNode{node("p", "plot_view")}}));
  EXPECT_EQ(view.kind(), "plot");
  ASSERT_TRUE(d.push("More", {AddNode{node("i", "image_view")}, AddNode{node("r", "relu")}}));
  EXPECT_EQ(view.kind(), "plot") << "it stays";
  d.selectNode("i");
  EXPECT_EQ(view.kind(), "picture");
  d.selectNode("r");
  EXPECT_EQ(view.kind(), "picture");
  ASSERT_TRUE(d.push("Less", {RemoveNode{"i"}}));
  EXPECT_EQ(view.kind(), "plot");
}

TEST(FieldModel, AMeshWithoutAFileSaysWhatProblemsSays) {
  Document d;
  const auto assets = std::make_shared<test::QuadAssets>();
  RunModel run(d, assets);
  FieldModel field(d, run, assets);
  field.setWatched(true);
  ASSERT_TRUE(d.push("Fill", {AddNode{node("m_7", "mesh_source")}, AddNode{node("v", "viewport")},
                              AddLink{{"m_7", "mesh", "v", "mesh"}}}));
  const auto says = [&](const QString& hint) { return wait_for([&] { return field.hint() == hint; }); };
  EXPECT_TRUE(says("Mesh: No file is chosen yet. Choose a mesh file.")) << to_std(field.hint());
  ASSERT_TRUE(d.push("Choose", {SetParam{"m_7", "path", std::string("quad.obj")}}));
  EXPECT_TRUE(says("")) << to_std(field.hint());
  EXPECT_NE(field.mesh(), nullptr);
}

}  // namespace
}  // namespace hw::app::testing
