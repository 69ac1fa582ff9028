// A run that failed: its error and its state are shown until the graph is edited.
#include <gtest/gtest.h>

#include "app/document/document_assets.h"
#include "app/models/problems/problems_model.h"
#include "app/models/run/run_model.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

/// An MLP that is trained, and what makes it too large for any memory.
void fill_mlp(Document& d) {
  const auto shape = [](double columns) { return ParamValue(std::vector<double>{8, columns}); };
  ASSERT_TRUE(d.push("Fill", {AddNode{node("x", "constant", {{"shape", shape(4)}})},
                              AddNode{node("mlp", "mlp", {{"out_features", int64_t{1}}})},
                              AddNode{node("target", "constant", {{"shape", shape(1)}})}, AddNode{node("mse", "mse")},
                              AddNode{node("train", "train")}, AddLink{{"x", "y", "mlp", "x"}},
                              AddLink{{"mlp", "y", "mse", "prediction"}}, AddLink{{"target", "y", "mse", "target"}},
                              AddLink{{"mse", "loss", "train", "loss"}}}));
}
const Edits kHuge{SetParam{"mlp", "width", int64_t{65536}}, SetParam{"mlp", "hidden_layers", int64_t{32}}};

struct Trained {
  Trained() { QObject::connect(&run, &RunModel::errorChanged, &problems, &ProblemsModel::setRunError); }
  /// Runs until it has failed and Problems lists it.
  bool fails() {
    run.start();
    return wait_for([&] { return run.state() == "failed" && problems.errors() == 1; });
  }

  Document document;
  RunModel run{document, assets_of(document)};
  ProblemsModel problems{document};
};

TEST(RunFailure, OfAGraphThatNeedsTooMuchEndsWhenThatIsUndone) {
  Trained t;
  fill_mlp(t.document);
  ASSERT_TRUE(t.document.push("Huge", kHuge));
  ASSERT_TRUE(t.fails());
  EXPECT_EQ(t.run.stateText(), "Failed");
  t.document.undo();
  EXPECT_EQ(t.run.state(), "idle");
  EXPECT_EQ(t.run.stateText(), "Ready");
  EXPECT_EQ(t.problems.errors(), 0);
  wait_for([] { return false; }, 200);  // the session hears of the edit
  EXPECT_EQ(t.run.stateText(), "Ready");
  // The same failure again is reported again.
  t.document.redo();
  EXPECT_TRUE(t.fails());
  EXPECT_EQ(t.run.stateText(), "Failed");
}

TEST(RunFailure, OfMemoryIsPredicted) {
  Trained t;
  fill_mlp(t.document);
  ASSERT_TRUE(wait_for([&] { return !t.run.needs().isEmpty(); }));
  EXPECT_EQ(t.run.excess(), "");
  ASSERT_TRUE(t.document.push("Huge", kHuge));
  ASSERT_TRUE(wait_for([&] { return !t.run.excess().isEmpty(); }));
  EXPECT_TRUE(t.run.excess().contains("is free")) << t.run.excess().toStdString();
  t.document.undo();
  EXPECT_TRUE(wait_for([&] { return t.run.excess().isEmpty() && !t.run.needs().isEmpty(); }));
}

TEST(RunFailure, HasNoNextLearningRate) {
  Trained t;
  fill_growing(t.document, 30);
  ASSERT_TRUE(t.fails());
  EXPECT_GT(t.run.step(), 0u);
  EXPECT_EQ(t.run.learningRate(), "");
}

TEST(RunFailure, AfterStepsEndsWithAnEditAndTheStepsStay) {
  Trained t;
  fill_growing(t.document, 30);
  ASSERT_TRUE(t.fails());
  const qulonglong step = t.run.step();
  ASSERT_GT(step, 0u);
  ASSERT_TRUE(t.document.push("Move", {MoveNode{"p", 10, 20}}));
  EXPECT_EQ(t.run.state(), "failed") << "where a node lies changes no run";
  ASSERT_TRUE(t.document.push("Slower", {SetParam{"train", "learning_rate", 0.1}}));
  EXPECT_EQ(t.run.stateText(), "Stopped");
  EXPECT_EQ(t.problems.errors(), 0);
  EXPECT_EQ(t.run.step(), step);
}

}  // namespace
}  // namespace hw::app::testing
