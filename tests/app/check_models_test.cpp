// X-ray and first bad value in the editor: what their models say of a run, and that a search finds what made it bad.
#include <gtest/gtest.h>

#include <QFile>

#include "app/document/document_assets.h"
#include "app/models/checks/bad_value_model.h"
#include "app/models/checks/xray_model.h"
#include "app/models/problems/problems_model.h"
#include "app/models/run/run_model.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

TEST(BadValues, AreSearchedForOnceARunHasFailedAndThenShown) {
  Document d;
  fill_growing(d, 30);  // p becomes −9 p a step
  RunModel run(d, assets_of(d));
  ProblemsModel problems(d);
  QObject::connect(&run, &RunModel::errorChanged, &problems, &ProblemsModel::setRunError);
  BadValueModel bad(d, run, assets_of(d));
  int found = 0;
  QObject::connect(&bad, &BadValueModel::found, &bad, [&] { ++found; });
  EXPECT_FALSE(bad.searchable());
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "failed"; }));
  ASSERT_TRUE(bad.searchable());
  EXPECT_FALSE(bad.present());
  // The problem's button asks for it.
  bool asked = false;
  QObject::connect(&problems, &ProblemsModel::badValueWanted, &problems, [&] { asked = true; });
  ASSERT_TRUE(wait_for([&] { return problems.errors() == 1; }));
  problems.apply(0, 0);
  EXPECT_TRUE(asked);
  const qulonglong step = run.step();
  bad.show();
  EXPECT_TRUE(bad.searching());
  ASSERT_TRUE(wait_for([&] { return bad.present(); }));
  EXPECT_EQ(found, 1);
  EXPECT_FALSE(bad.searching());
  EXPECT_EQ(run.step(), step) << "same seed, same bits";
  EXPECT_EQ(run.snapshot().bad_value->node, "narrow");
  EXPECT_TRUE(run.snapshot().bad_value->replayed);
  EXPECT_EQ(bad.headline(), QString("Cast made ∞ in the forward pass of step %1").arg(step + 1));
  ASSERT_EQ(bad.inputs().size(), 1);
  EXPECT_EQ(bad.inputs().first().toMap()["name"], "p.value");
  EXPECT_GE(bad.history().size(), 3);
  EXPECT_TRUE(bad.history().last().toMap()["last"].toBool());
  EXPECT_LT(bad.limit(), 1) << "f16's largest number is on the axis";
  QString revealed;
  QObject::connect(&d, &Document::revealRequested, &d, [&](const QString& id) { revealed = id; });
  bad.reveal();
  EXPECT_EQ(revealed, "narrow");
  EXPECT_EQ(d.activeNode(), "narrow");
}

/// A checkpoint of the run spares the steps before it; one that is not of this run, this graph or finite is not used.
TEST(BadValues, ASearchBeginsAtTheLastCheckpointOfTheRun) {
  const QTemporaryDir folder;
  const QUrl file = QUrl::fromLocalFile(folder.filePath("c.safetensors"));
  Document d;
  fill_growing(d, 30);
  RunModel run(d, assets_of(d));
  BadValueModel bad(d, run, assets_of(d));
  const auto fail_and_find = [&] {
    run.start();
    EXPECT_TRUE(wait_for([&] { return run.state() == "failed"; }));
    const qulonglong step = run.step();
    bad.search();
    EXPECT_TRUE(wait_for([&] { return bad.present(); }));
    EXPECT_EQ(run.step(), step) << "same seed, same bits";
    return *run.snapshot().bad_value;
  };
  const BadValue whole = fail_and_find();
  ASSERT_EQ(whole.step, 6u);
  EXPECT_EQ(whole.history.front().step, 0u);

  run.restart();
  ASSERT_TRUE(wait_for([&] { return !bad.present(); }));
  for (qulonglong step = 1; step <= 4; ++step) {
    run.stepOnce();
    ASSERT_TRUE(wait_for([&] { return run.step() == step && run.paused(); }));
  }
  run.saveCheckpoint(file);
  ASSERT_TRUE(wait_for([&] { return run.savedStep() == 4; }));
  EXPECT_TRUE(bad.from().contains("after step 4"));
  const BadValue short_way = fail_and_find();
  EXPECT_EQ(short_way.history.front().step, 4u) << "what was before the checkpoint is not run again";
  EXPECT_TRUE(short_way.replayed);
  EXPECT_EQ(short_way.node, whole.node);
  EXPECT_EQ(short_way.step, whole.step);
  EXPECT_EQ(short_way.index, whole.index);
  ASSERT_EQ(short_way.inputs.size(), 1u);
  EXPECT_EQ(short_way.inputs[0].elements, whole.inputs[0].elements) << "to the bit";

  // The checkpoint of another run is none of this one's, and one whose file is gone neither.
  run.restart();
  EXPECT_EQ(run.savedStep(), 0u);
  ASSERT_TRUE(wait_for([&] { return !bad.present(); }));
  run.stepOnce();
  ASSERT_TRUE(wait_for([&] { return run.step() == 1 && run.paused(); }));
  run.saveCheckpoint(file);
  ASSERT_TRUE(wait_for([&] { return run.savedStep() == 1; }));
  ASSERT_TRUE(QFile::remove(file.toLocalFile()));
  const BadValue from_start = fail_and_find();
  EXPECT_EQ(from_start.history.front().step, 0u);
  EXPECT_EQ(from_start.inputs[0].elements, whole.inputs[0].elements);
}

TEST(BadValues, HaltingFindsThemInTheFirstRun) {
  Document d;
  fill_growing(d, 30);
  RunModel run(d, assets_of(d));
  BadValueModel bad(d, run, assets_of(d));
  run.setHaltOnBadValue(true);
  run.start();
  ASSERT_TRUE(wait_for([&] { return bad.present(); }));
  EXPECT_EQ(run.state(), "failed");
  run.restart();
  EXPECT_TRUE(wait_for([&] { return !bad.present(); })) << "forgotten with the run";
}

TEST(BadValues, ASearchThatFindsNothingSaysSo) {
  Document d;
  fill_growing(d, 30);
  RunModel run(d, assets_of(d));
  QStringList codes;
  QObject::connect(&run, &RunModel::failed, &run, [&](const QString& code) { codes << code; });
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "failed"; }));
  ASSERT_TRUE(d.push("Slower", {SetParam{"train", "learning_rate", 0.1}}));
  codes.clear();
  run.findBadValue();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished" && !codes.isEmpty(); }));
  EXPECT_FALSE(run.searching());
  EXPECT_EQ(codes.last(), "HW-R002");
}

TEST(BadValues, OneStepIsLookedAtWithWhatInputsAreGivenAndNothingIsTrained) {
  Document d;
  ASSERT_TRUE(d.push("Pipeline",
                     {AddNode{node("x", "input", {{"shape", std::vector<double>{2}}, {"dtype", std::string("f16")}})},
                      AddNode{node("square", "mul")}, AddNode{node("y", "output")}, AddLink{{"x", "y", "square", "a"}},
                      AddLink{{"x", "y", "square", "b"}}, AddLink{{"square", "y", "y", "x"}}}));
  RunModel run(d, assets_of(d));
  BadValueModel bad(d, run, assets_of(d));
  int found = 0;
  QObject::connect(&bad, &BadValueModel::found, &bad, [&] { ++found; });
  const auto look = [&](std::vector<double> numbers) {
    auto given = std::make_shared<GivenInputs>();
    const auto rows = static_cast<int64_t>(numbers.size());
    given->set("x", {Tensor::from_f64(DType::f16, {rows}, numbers), 1});
    run.evaluation()->setGiven(given);
    bad.lookNow();
    EXPECT_TRUE(bad.looking());
    ASSERT_TRUE(wait_for([&] { return !bad.looking(); }));
  };
  look({1, 2});
  EXPECT_FALSE(bad.present());
  EXPECT_TRUE(bad.lookedAt().contains("of what Inputs are given")) << bad.lookedAt().toStdString();
  look({1, 787.5});
  ASSERT_TRUE(bad.present()) << bad.lookedAt().toStdString();
  EXPECT_EQ(found, 1);
  EXPECT_EQ(bad.headline(), "Multiply made ∞ in the forward pass of step 1");
  EXPECT_TRUE(bad.element().startsWith("Element [1] is ∞")) << bad.element().toStdString();
  EXPECT_EQ(run.state(), "idle");
  EXPECT_FALSE(d.weights()->tensors());
  ASSERT_TRUE(d.push("Wider", {SetParam{"x", "dtype", std::string("f32")}}));
  EXPECT_FALSE(bad.present()) << "the graph is another";
}

TEST(Xrays, ListWhatIsIntroducedWorstFirst) {
  Document d;
  fill_growing(d, 0.1);
  ASSERT_TRUE(d.push("Odd", {SetParam{"p", "init", std::string("normal")}}));
  RunModel run(d, assets_of(d));
  XrayModel xray(d, run, assets_of(d));
  xray.start();
  EXPECT_TRUE(xray.running());
  ASSERT_TRUE(wait_for([&] { return xray.count() > 0 && !xray.running(); })) << xray.problem().toStdString();
  EXPECT_TRUE(xray.caption().contains("initial weights")) << xray.caption().toStdString();
  const auto cell = [&](int row, int role) { return xray.data(xray.index(row), role); };
  EXPECT_EQ(cell(0, XrayModel::NodeRole), "narrow") << "the rounding to f16 is the largest";
  EXPECT_TRUE(cell(0, XrayModel::WorstRole).toBool());
  EXPECT_EQ(cell(0, XrayModel::ValueRole), "y");
  EXPECT_EQ(cell(0, XrayModel::DtypeRole), "f16");
  double last = INFINITY;
  for (int row = 0; row < xray.count(); ++row) {
    const QString text = cell(row, XrayModel::IntroducedRole).toString().replace("−", "-");
    EXPECT_LE(text.toDouble(), last * 1.01);
    last = text.toDouble();
  }
  xray.setSorting("order");
  EXPECT_EQ(xray.data(xray.index(0), XrayModel::NodeRole).toString().toStdString(), xray.report()->items[0].node);
  QString revealed;
  QObject::connect(&d, &Document::revealRequested, &d, [&](const QString& id) { revealed = id; });
  xray.reveal(0);
  EXPECT_FALSE(revealed.isEmpty());
  // After training, with what was trained; an edit makes the report old.
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished"; }));
  xray.start();
  ASSERT_TRUE(wait_for([&] { return xray.caption().contains("40"); })) << xray.caption().toStdString();
  EXPECT_EQ(xray.report()->step, 40u);
  EXPECT_FALSE(xray.stale());
  ASSERT_TRUE(d.push("Edit", {SetParam{"narrow", "to", std::string("bf16")}}));
  EXPECT_TRUE(xray.stale());
  d.newDocument();
  EXPECT_EQ(xray.count(), 0);
}

TEST(Xrays, SayWhyThereIsNone) {
  Document d;
  fill_growing(d, 0.1);
  ASSERT_TRUE(d.push("Cut", {RemoveLink{{"narrow", "y", "wide", "x"}}}));
  RunModel run(d, assets_of(d));
  XrayModel xray(d, run, assets_of(d));
  xray.start();
  ASSERT_TRUE(wait_for([&] { return !xray.running(); }));
  EXPECT_EQ(xray.count(), 0);
  EXPECT_FALSE(xray.problem().isEmpty());
}

}  // namespace
}  // namespace hw::app::testing
