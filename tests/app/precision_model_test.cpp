// Trying and planning precision in the editor: results are taken as one undo step, dropped, or made void by an edit.
#include "app/models/precision/precision_model.h"

#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <memory>

#include "app/document/document_assets.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

struct Editor {
  Document document;
  RunModel run{document, assets_of(document)};
  PrecisionModel precision{document, run, assets_of(document)};

  Editor() {
    const ParamValue shape = std::vector<double>{32, 8};
    EXPECT_TRUE(document.push(
        "Fill", {AddNode{node("x", "random", {{"shape", shape}})}, AddNode{node("sin", "sin")},
                 AddNode{node("a", "linear", {{"out_features", int64_t{8}}})}, AddNode{node("mse", "mse")},
                 AddNode{node("train", "train", {{"steps", int64_t{40}}})}, AddLink{{"x", "y", "a", "x"}},
                 AddLink{{"x", "y", "sin", "x"}}, AddLink{{"a", "y", "mse", "prediction"}},
                 AddLink{{"sin", "y", "mse", "target"}}, AddLink{{"mse", "loss", "train", "loss"}}}));
  }
  bool settled() {
    return wait_for([this] { return !precision.running(); }, 60'000);
  }
  QString dtype() const {
    return QString::fromStdString(std::get<std::string>(param_value(*document.graph().find("a"), "dtype")));
  }
};

TEST(PrecisionModel, IsTakenAsOneUndoStep) {
  Editor e;
  e.document.selectNode("a");
  EXPECT_EQ(e.precision.selected(), "Linear");
  e.precision.tryDtype("bf16", 20);
  EXPECT_TRUE(e.precision.running());
  ASSERT_TRUE(e.settled());
  EXPECT_EQ(e.precision.problem(), "");
  EXPECT_GE(e.precision.rows().size(), 8);
  EXPECT_FALSE(e.precision.changes().isEmpty());
  ASSERT_TRUE(e.precision.applicable());
  EXPECT_EQ(e.dtype(), "f32") << "a trial changes nothing";
  const QString before = e.document.undoText();
  e.precision.apply();
  EXPECT_EQ(e.dtype(), "bf16");
  EXPECT_TRUE(e.precision.rows().isEmpty());
  e.document.undo();
  EXPECT_EQ(e.dtype(), "f32");
  EXPECT_EQ(e.document.undoText(), before);
}

TEST(PrecisionModel, BeginsWithLoadedWeights) {
  Editor e;
  const std::vector<double> zeros(64, 0.0), bias(8, 0.0);
  e.document.weights()->set(std::make_shared<const Weights>(Weights{
      {"a.weight", Tensor::from_f64(DType::f32, {8, 8}, zeros)}, {"a.bias", Tensor::from_f64(DType::f32, {8}, bias)}}));
  e.document.selectNode("a");
  e.precision.tryDtype("bf16", 1);
  ASSERT_TRUE(e.settled());
  EXPECT_EQ(e.precision.problem(), "");
  EXPECT_TRUE(e.precision.verdict().contains("Both began from the loaded weights."))
      << e.precision.verdict().toStdString();
}

TEST(PrecisionModel, AnEditOfStructureMakesTheResultVoid) {
  Editor e;
  e.document.selectNode("a");
  e.precision.tryDtype("bf16", 20);
  ASSERT_TRUE(e.settled());
  ASSERT_TRUE(e.precision.applicable());
  ASSERT_TRUE(e.document.push("Move", {MoveNode{"a", 5, 5}}));
  EXPECT_TRUE(e.precision.applicable()) << "positions do not matter";
  ASSERT_TRUE(e.document.push("Widen", {SetParam{"a", "bias", false}}));
  EXPECT_FALSE(e.precision.applicable());
  e.precision.tryDtype("bf16", 1'000'000);
  ASSERT_TRUE(wait_for([&] { return e.precision.progress() > 0; }, 60'000));
  ASSERT_TRUE(e.document.push("Widen", {SetParam{"a", "bias", true}}));
  e.precision.cancel();
  ASSERT_TRUE(e.settled());
  EXPECT_FALSE(e.precision.applicable());
}

TEST(PrecisionModel, GoesOnFromWhatWasTrained) {
  Editor e;
  e.run.start();
  ASSERT_TRUE(wait_for([&] { return e.run.state() == "finished"; }, 60'000));
  e.document.selectNode("a");
  e.precision.tryDtype("f16", 10);
  ASSERT_TRUE(e.settled());
  EXPECT_TRUE(e.precision.verdict().contains("step 40")) << e.precision.verdict().toStdString();
}

TEST(PrecisionModel, PlansAndCanBeStopped) {
  Editor e;
  e.precision.plan("loss=100000%", "bytes", 0);
  ASSERT_TRUE(e.settled());
  EXPECT_EQ(e.precision.problem(), "");
  EXPECT_FALSE(e.precision.trials().isEmpty());
  ASSERT_TRUE(e.precision.applicable());
  e.precision.apply();
  EXPECT_NE(e.dtype(), "f32");
  e.precision.plan("loss=1%", "both", 1'000'000);
  e.precision.cancel();
  ASSERT_TRUE(e.settled());
  EXPECT_EQ(e.precision.problem(), "") << "to stop is no mistake";
  EXPECT_TRUE(e.precision.rows().isEmpty());
}

TEST(PrecisionModel, PlansFromSeveralSeeds) {
  Editor e;
  e.precision.plan("loss=100000%", "bytes", 10, 1);
  ASSERT_TRUE(e.settled());
  EXPECT_TRUE(e.precision.verdict().contains("from one seed")) << e.precision.verdict().toStdString();
  e.precision.plan("loss=100000%", "bytes", 10, 3);
  ASSERT_TRUE(e.settled());
  EXPECT_EQ(e.precision.problem(), "");
  EXPECT_TRUE(e.precision.verdict().contains("mean of 3 seeds")) << e.precision.verdict().toStdString();
  e.precision.plan("error=50%", "bytes", 10, 3);
  ASSERT_TRUE(e.settled());
  EXPECT_FALSE(e.precision.verdict().contains("seed")) << "nothing is trained narrow";
}

TEST(PrecisionModel, SaysWhatIsWrong) {
  Editor e;
  e.precision.tryDtype("bf16", 10);
  EXPECT_TRUE(e.precision.problem().contains("No node is selected"));
  e.document.selectNode("train");
  e.precision.tryDtype("tf32", 10);
  EXPECT_TRUE(e.precision.problem().contains("HW-R002"));
  e.document.selectNode("a");
  e.precision.tryDtype("f32", 10);
  EXPECT_TRUE(e.precision.problem().contains("already"));
  e.precision.plan("cheap", "both", 10);
  EXPECT_TRUE(e.precision.problem().contains("HW-C001"));
  EXPECT_FALSE(e.precision.running());
}

TEST(PrecisionModel, SaysWhatAFieldMayHold) {
  Editor e;
  const auto problem = [&](const char* field, const char* text) {
    return e.precision.problemWith(field, text).toStdString();
  };
  for (const auto& [field, text] : {std::pair("limit", "0"),
                                    {"limit", "2.5"},
                                    {"limit", "1e-3"},
                                    {"steps", "1"},
                                    {"steps", "1000000"},
                                    {"planned", ""},
                                    {"planned", " 30 "},
                                    {"seeds", "100"}})
    EXPECT_EQ(problem(field, text), "") << field << " " << text;
  EXPECT_EQ(problem("limit", "-1"), "The limit must be a number at least 0 (%), got -1.");
  EXPECT_NE(problem("limit", "x").find("got x."), std::string::npos);
  EXPECT_EQ(problem("seeds", "101"), "Seeds must be a whole number from 1 to 100, got 101.");
  for (const char* text : {"0", "1.5", "1000001", "many"}) {
    EXPECT_EQ(problem("steps", text).find("Steps must be a whole number from 1 to 1000000, got "), 0u) << text;
    EXPECT_EQ(problem("planned", text), problem("steps", text));
  }
  EXPECT_NE(problem("steps", ""), "");
}

TEST(PrecisionModel, GoesAwayWhileItSearches) {
  auto e = std::make_unique<Editor>();
  e->document.selectNode("a");
  e->precision.tryDtype("bf16", 1'000'000'000);  // many minutes even at a microsecond a step
  ASSERT_TRUE(wait_for([&] { return e->precision.progress() > 0; })) << "it trains";
  EXPECT_TRUE(e->precision.running());
  EXPECT_EQ(e->precision.problem(), "");
  EXPECT_EQ(e->dtype(), "f32");
  QElapsedTimer leaving;
  leaving.start();
  e.reset();
  EXPECT_LT(leaving.elapsed(), 20'000) << "it waits for a step, not for the search";
}

}  // namespace
}  // namespace hw::app::testing
