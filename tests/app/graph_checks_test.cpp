// Gradient check and parity in the editor: verdicts, what is marked, and what an edit makes stale.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QFileInfo>

#include "app/document/document_assets.h"
#include "app/models/checks/dump_parity.h"
#include "app/models/checks/gradient_check_model.h"
#include "app/models/checks/parity_model.h"
#include "app/models/run/run_model.h"
#include "engine/compare/dump_hints.h"
#include "engine/core/codes.h"
#include "engine/io/tensor/npy.h"
#include "tests/app/support.h"

namespace hw::app::testing::graph_checks_test {
namespace {

/// p → ReLU → MSE; `below`: p is negative everywhere, so nothing flows back.
void fill(Document& d, bool below) {
  const ParamValue shape = std::vector<double>{4, 3};
  ASSERT_TRUE(d.push(
      "Fill", {AddNode{node("p", "parameter",
                            {{"shape", shape}, {"init", std::string("constant")}, {"scale", below ? -1.0 : 1.0}})},
               AddNode{node("relu", "relu")}, AddNode{node("target", "constant", {{"shape", shape}, {"value", 0.5}})},
               AddNode{node("mse", "mse")}, AddNode{node("train", "train", {{"steps", int64_t{5}}})},
               AddLink{{"p", "y", "relu", "x"}}, AddLink{{"relu", "y", "mse", "prediction"}},
               AddLink{{"target", "y", "mse", "target"}}, AddLink{{"mse", "loss", "train", "loss"}}}));
}

QStringList verdicts(const CheckModel& model) {
  QStringList all;
  for (int row = 0; row < model.count(); ++row)
    all += model.data(model.index(row), VerdictModel::VerdictRole).toString();
  return all;
}

TEST(GraphChecks, RightGradientsPass) {
  Document d;
  fill(d, false);
  GradientCheckModel check(d, assets_of(d));
  EXPECT_EQ(check.caption(), "");
  check.start();
  EXPECT_TRUE(check.running());
  ASSERT_TRUE(wait_for([&] { return !check.running(); }));
  EXPECT_EQ(check.problem(), "");
  EXPECT_TRUE(check.passed());
  EXPECT_TRUE(check.caption().startsWith("No gradient is wrong")) << check.caption().toStdString();
  EXPECT_GE(check.count(), 2);
  for (const QString& verdict : verdicts(check)) EXPECT_EQ(verdict, "right");
  EXPECT_TRUE(check.findings().empty());
  QString revealed;
  QObject::connect(&d, &Document::revealRequested, &d, [&](const QString& id) { revealed = id; });
  check.reveal(0);
  EXPECT_EQ(revealed, check.data(check.index(0), VerdictModel::NodeRole).toString());
  EXPECT_FALSE(check.stale());
  ASSERT_TRUE(d.push("Edit", {SetParam{"target", "value", 2.0}}));
  EXPECT_TRUE(check.stale());
  ASSERT_TRUE(d.push("Move", {MoveNode{"target", 40, 8}}));
  d.undo();
  EXPECT_TRUE(check.stale());
  d.undo();
  EXPECT_FALSE(check.stale()) << "it is the graph that was checked";
}

TEST(GraphChecks, ADeadParameterIsMarked) {
  Document d;
  fill(d, true);
  GradientCheckModel check(d, assets_of(d));
  check.start();
  ASSERT_TRUE(wait_for([&] { return !check.running(); }));
  EXPECT_TRUE(verdicts(check).contains("dead: always zero")) << verdicts(check).join(", ").toStdString();
  ASSERT_FALSE(check.findings().empty());
  EXPECT_EQ(check.findings().front().node, "p");
  EXPECT_EQ(check.findings().front().code, codes::dead_gradient);
  EXPECT_EQ(check.findings().front().severity, Severity::warning);
  int emitted = 0;
  QObject::connect(&check, &CheckModel::findingsChanged, &check, [&] { ++emitted; });
  ASSERT_TRUE(d.push("Edit", {SetParam{"target", "value", 2.0}}));
  EXPECT_TRUE(check.findings().empty()) << "of the graph as it was";
  d.undo();
  EXPECT_EQ(check.findings().size(), 1u);
  EXPECT_EQ(emitted, 2);
}

TEST(GraphChecks, TheCpuAgreesWithItsOracle) {
  Document d;
  fill(d, false);
  RunModel run(d, assets_of(d));
  ParityModel check(d, run, assets_of(d));
  check.start();
  ASSERT_TRUE(wait_for([&] { return !check.running(); }));
  EXPECT_EQ(check.problem(), "");
  EXPECT_TRUE(check.passed());
  EXPECT_TRUE(check.caption().startsWith("ref and cpu agree")) << check.caption().toStdString();
  EXPECT_GE(check.count(), 5);
  EXPECT_FALSE(verdicts(check).contains("diverges"));
  EXPECT_TRUE(check.findings().empty());
}

TEST(GraphChecks, WhatEachDeviceMadeIsShown) {
  Document d;
  fill(d, false);
  RunModel run(d, assets_of(d));
  ParityModel check(d, run, assets_of(d));
  for (TensorImageModel* image : {check.first(), check.second(), check.difference()}) image->setWatched(true);
  ASSERT_EQ(check.pairs().size(), 3);
  check.setPair(1);
  check.start();
  ASSERT_TRUE(wait_for([&] { return !check.running(); }));
  EXPECT_TRUE(check.caption().startsWith("cpu@1 and cpu@2 agree")) << check.caption().toStdString();
  EXPECT_EQ(check.shown(), "") << "all is well: none is shown unasked";
  int row = 0;
  while (row < check.count() && check.data(check.index(row), VerdictModel::NodeRole) != "relu") ++row;
  ASSERT_LT(row, check.count());
  check.show(row);
  EXPECT_EQ(check.noPicture(), "");
  EXPECT_EQ(check.firstName(), "cpu@1");
  for (TensorImageModel* image : {check.first(), check.second(), check.difference()})
    ASSERT_TRUE(wait_for([&] { return !image->empty(); }));
  EXPECT_EQ(check.first()->axes().size(), 2);
  EXPECT_EQ(check.first()->read(0.1, 0.1), check.second()->read(0.1, 0.1));
  EXPECT_EQ(check.difference()->read(0.1, 0.1).value("text"), "0");
  check.show(-1);
  EXPECT_EQ(check.shown(), "");
}

TEST(GraphChecks, OnlySelectedNodesAreChecked) {
  Document d;
  fill(d, false);
  GradientCheckModel check(d, assets_of(d));
  check.setSelectedOnly(true);
  check.start();
  ASSERT_TRUE(wait_for([&] { return !check.running(); }));
  EXPECT_FALSE(check.problem().isEmpty()) << "nothing is selected";
  d.selectNode("relu");
  check.start();
  ASSERT_TRUE(wait_for([&] { return !check.running(); }));
  EXPECT_EQ(check.problem(), "");
  EXPECT_GT(check.count(), 0);
  for (int row = 0; row < check.count(); ++row)
    EXPECT_THAT((std::vector<std::string>{"p", "relu"}),
                ::testing::Contains(check.data(check.index(row), VerdictModel::NodeRole).toString().toStdString()));
}

/// The checks of training, done.
std::vector<std::unique_ptr<VerdictModel>> checked(Document& d, RunModel& run) {
  std::vector<std::unique_ptr<VerdictModel>> checks;
  checks.push_back(std::make_unique<GradientCheckModel>(d, assets_of(d)));
  checks.push_back(std::make_unique<ParityModel>(d, run, assets_of(d)));
  for (const auto& check : checks) {
    check->start();
    EXPECT_TRUE(wait_for([&] { return !check->running(); }));
  }
  return checks;
}

TEST(GraphChecks, AGraphThatCannotTrainSaysWhy) {
  Document d;
  ASSERT_TRUE(d.push("Add", {AddNode{node("relu", "relu")}}));
  RunModel run(d, assets_of(d));
  for (const std::unique_ptr<VerdictModel>& check : checked(d, run)) {
    EXPECT_FALSE(check->problem().isEmpty());
    EXPECT_EQ(check->count(), 0);
  }
}

/// x → layer → relu → y.
void fill_inference(Document& d) {
  const ParamValue shape = std::vector<double>{4, 3};
  ASSERT_TRUE(
      d.push("Fill", {AddNode{node("x", "input", {{"shape", shape}, {"example", std::string("ones")}})},
                      AddNode{node("layer", "linear", {{"out_features", int64_t{2}}})}, AddNode{node("relu", "relu")},
                      AddNode{node("y", "output")}, AddLink{{"x", "y", "layer", "x"}},
                      AddLink{{"layer", "y", "relu", "x"}}, AddLink{{"relu", "y", "y", "x"}}}));
}

TEST(GraphChecks, RunWithoutATrainNode) {
  Document d;
  fill_inference(d);
  RunModel run(d, assets_of(d));
  for (const std::unique_ptr<VerdictModel>& check : checked(d, run)) {
    EXPECT_EQ(check->problem(), "");
    EXPECT_TRUE(check->passed()) << check->caption().toStdString();
    EXPECT_TRUE(check->caption().contains("mean square of the outputs")) << check->caption().toStdString();
    EXPECT_GT(check->count(), 0);
    for (int row = 0; row < check->count(); ++row)
      EXPECT_TRUE(d.flat().find(check->data(check->index(row), VerdictModel::NodeRole).toString().toStdString()));
  }
}

TEST(GraphChecks, ADumpIsHeldAgainstTheWires) {
  const QTemporaryDir folder;
  const auto write = [&](const char* name, Dims dims, std::vector<float> values) {
    ASSERT_TRUE(save_npy(Tensor::from_f32(DType::f32, std::move(dims), values),
                         std::filesystem::path(folder.path().toStdString()) / name));
  };
  write("layer.npy", {4, 2}, {1e3, 1e3, 1e3, 1e3, 1e3, 1e3, 1e3, 1e3});
  write("relu.npy", {4, 2}, {1e3, 1e3, 1e3, 1e3, 1e3, 1e3, 1e3, 1e3});
  write("elsewhere.npy", {7}, {1, 2, 3, 4, 5, 6, 7});
  Document d;
  fill_inference(d);
  RunModel run(d, assets_of(d));
  ParityModel check(d, run, assets_of(d));
  check.against(QUrl::fromLocalFile(folder.path() + "/"));
  EXPECT_TRUE(check.running());
  EXPECT_TRUE(check.dumpChosen());
  ASSERT_TRUE(wait_for([&] { return !check.running(); }));
  EXPECT_EQ(check.problem(), "");
  EXPECT_TRUE(check.failed());
  EXPECT_TRUE(check.ofDump());
  EXPECT_EQ(verdicts(check), (QStringList{"diverges", "inherited", "example", "no wire"}));
  EXPECT_EQ(check.data(check.index(0), VerdictModel::NodeRole), "layer");
  EXPECT_EQ(check.data(check.index(0), VerdictModel::PassRole), "by name");
  EXPECT_TRUE(check.caption().contains("x with its own example values")) << check.caption().toStdString();
  EXPECT_TRUE(check.caption().contains("2 of 3 tensors compared")) << check.caption().toStdString();
  ASSERT_EQ(check.findings().size(), 1u);
  EXPECT_EQ(check.findings().front().node, "layer");
  EXPECT_EQ(check.findings().front().code, codes::dump_diverges);
  EXPECT_EQ(check.firstName(), QFileInfo(folder.path()).fileName());
  EXPECT_EQ(check.secondName(), "cpu");
  EXPECT_EQ(check.noPicture(), "") << "the first is shown unasked";
  EXPECT_EQ(check.pairs().size(), 4);

  const QString same = check.data(check.index(0), VerdictModel::NoteRole).toString();
  EXPECT_TRUE(same.contains(" has 1000")) << same.toStdString();

  write("layer.npy", {2, 4}, {1, 1, 1, 1, 1, 1, 1, 1});
  check.start();
  ASSERT_TRUE(wait_for([&] { return !check.running(); }));
  EXPECT_EQ(check.noPicture(), "sizes [4, 2] beside [2, 4]");
  QFile damaged(folder.filePath("relu.npy"));
  ASSERT_TRUE(damaged.open(QIODevice::WriteOnly) && damaged.write("no array") == 8);
  damaged.close();
  check.start();
  ASSERT_TRUE(wait_for([&] { return !check.running(); }));
  EXPECT_EQ(verdicts(check), (QStringList{"diverges", "not read", "example", "no wire"}));
  EXPECT_TRUE(check.caption().contains("1 of 3 tensors compared, 1 not read")) << check.caption().toStdString();
  const QString why = check.data(check.index(1), VerdictModel::NoteRole).toString();
  EXPECT_TRUE(why.contains("not a .npy file")) << why.toStdString();

  check.setPair(0);
  check.against(QUrl::fromLocalFile(folder.filePath("elsewhere.npy")));
  ASSERT_TRUE(wait_for([&] { return !check.running(); }));
  EXPECT_TRUE(check.problem().contains("nothing was compared")) << check.problem().toStdString();
  EXPECT_EQ(check.pairs().size(), 4) << "one dump at a time";
}

TEST(GraphChecks, WhatIsSaidOfAWireThatIsOffIsBesideItsWorstElement) {
  DumpReport found;
  DumpItem item;
  item.socket = {"layer", "y"};
  item.tensor = "layer";
  item.dims = {2, 3};
  item.error = 8;
  item.diverges = true;
  item.note = hint_of(Tensor::zeros(DType::bf16, {2, 3}), Tensor::zeros(DType::f32, {2, 3}), 8, 1e-3);
  item.worst = DumpElement{4, 1, 1.008, 1e-3};
  found.items.push_back(item);
  found.first = 0;
  const VerdictModel::Report report = report_of(found, {}, "dump", "cpu", {});
  ASSERT_EQ(report.rows.size(), 1u);
  const QStringList lines = report.rows[0].note.split(QLatin1Char('\n'));
  ASSERT_EQ(lines.size(), 2) << report.rows[0].note.toStdString();
  EXPECT_TRUE(lines[0].contains("dump has 1, cpu makes 1.008")) << lines[0].toStdString();
  EXPECT_EQ(lines[1], "within what bf16 rounds") << "options of the command line are none of a window's";
}

TEST(RunModel, KnowsWhetherTheGraphTrains) {
  Document d;
  RunModel run(d, assets_of(d));
  EXPECT_FALSE(run.trains());
  fill(d, false);
  EXPECT_TRUE(run.trains());
  d.undo();
  EXPECT_FALSE(run.trains());
}

}  // namespace
}  // namespace hw::app::testing::graph_checks_test
