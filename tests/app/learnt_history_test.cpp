// What a run has learnt and the undo history: training on weights that a step gave is a step of its own, with its run.
#include <gtest/gtest.h>

#include <QFileInfo>
#include <cstring>

#include "app/document/document_assets.h"
#include "app/models/run/run_model.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

class LearntHistory : public ::testing::Test {
 protected:
  void SetUp() override {
    const ParamValue shape = std::vector<double>{4, 3};
    ASSERT_TRUE(
        d_.push("Fill", {AddNode{node("x", "constant", {{"shape", shape}})},
                         AddNode{node("target", "constant", {{"shape", shape}, {"value", 0.5}})},
                         AddNode{node("a", "linear", {{"out_features", int64_t{3}}})}, AddNode{node("mse", "mse")},
                         AddNode{node("train", "train", {{"steps", int64_t{10}}})}, AddLink{{"x", "y", "a", "x"}},
                         AddLink{{"a", "y", "mse", "prediction"}}, AddLink{{"target", "y", "mse", "target"}},
                         AddLink{{"mse", "loss", "train", "loss"}}}));
  }
  void load() {
    d_.weights()->load(given_, {}, WeightsTaken::all_or_nothing, OtherDtypes::refused);
    ASSERT_TRUE(wait_for([&] { return d_.weights()->tensors() != nullptr; }));
  }
  void train() {
    const qulonglong before = run_.step();
    run_.start();
    ASSERT_TRUE(wait_for([&] { return run_.state() == "finished" && run_.step() > before; }));
  }
  /// The next run does not end.
  void run_on() { ASSERT_TRUE(d_.push("Steps", {SetParam{"train", "steps", int64_t{1'000'000'000}}})); }
  bool holds(const Weights& expected) const {
    const auto now = d_.weights()->tensors();
    if (!now || now->size() != expected.size()) return false;
    return std::ranges::all_of(expected, [&](const auto& e) {
      const auto found = now->find(e.first);
      return found != now->end() && std::memcmp(found->second.data(), e.second.data(), e.second.bytes()) == 0;
    });
  }

  const QTemporaryDir folder_;
  const Weights given_{{"a.weight", Tensor::zeros(DType::f32, {3, 3})}, {"a.bias", Tensor::zeros(DType::f32, {3})}};
  Document d_;
  RunModel run_{d_, assets_of(d_)};
};

TEST_F(LearntHistory, TrainingOnLoadedWeightsIsAStepOfItsOwnWithItsRun) {
  load();
  EXPECT_EQ(d_.undoText(), "Load Weights");
  train();
  const Weights trained = *d_.weights()->tensors();
  EXPECT_FALSE(holds(given_));
  EXPECT_EQ(d_.undoText(), "Train");
  d_.undo();
  EXPECT_TRUE(holds(given_)) << "the training alone is undone";
  EXPECT_EQ(d_.undoText(), "Load Weights");
  EXPECT_EQ(d_.redoText(), "Train");
  d_.undo();
  EXPECT_EQ(d_.weights()->tensors(), nullptr);
  d_.redo();
  EXPECT_TRUE(holds(given_));
  d_.redo();
  EXPECT_TRUE(holds(trained));
  EXPECT_EQ(run_.stateText(), "Ready, trained to step 10");
  EXPECT_TRUE(run_.loadedStates()) << "with the optimiser's state";
  train();
  EXPECT_EQ(run_.step(), 20u);
  EXPECT_EQ(run_.snapshot().losses->size(), 20u) << "the curve goes on from its beginning";
  EXPECT_TRUE(run_.snapshot().notes.empty()) << run_.snapshot().notes.front();
}

TEST_F(LearntHistory, ARunThatGoesOnIsUndoneWithItsNewestStep) {
  run_on();
  load();
  run_.start();
  ASSERT_TRUE(wait_for([&] { return run_.step() > 5; }));
  const qulonglong seen = run_.step();
  ASSERT_TRUE(run_.running());
  ASSERT_EQ(d_.undoText(), "Train");
  d_.undo();
  EXPECT_TRUE(holds(given_));
  EXPECT_FALSE(run_.started());
  d_.redo();
  ASSERT_TRUE(d_.weights()->states());
  EXPECT_GE(d_.weights()->states()->step, seen) << "published or not";
  ASSERT_TRUE(d_.weights()->states()->weights);
  EXPECT_TRUE(holds(*d_.weights()->states()->weights)) << "weights and states are of one step";
}

/// At once, without an event between: the session has not looked yet.
TEST_F(LearntHistory, UndoneAndRedoneInARowNothingIsLost) {
  load();
  train();
  const Weights trained = *d_.weights()->tensors();
  for (int k = 0; k < 3; ++k) {
    d_.undo();
    d_.undo();
    d_.redo();
    d_.redo();
  }
  EXPECT_TRUE(holds(trained));
  ASSERT_TRUE(d_.weights()->states());
  EXPECT_EQ(d_.weights()->states()->step, 10u);
}

TEST_F(LearntHistory, AfterUndoASaveWritesWhatTheDocumentHolds) {
  const QString beside = folder_.filePath("g.safetensors");
  load();
  train();
  ASSERT_TRUE(d_.saveAs(QUrl::fromLocalFile(folder_.filePath("g.halfwire"))));
  ASSERT_TRUE(d_.weights()->written());
  d_.undo();
  EXPECT_TRUE(d_.modified());
  ASSERT_TRUE(d_.save());
  ASSERT_TRUE(d_.weights()->written());
  const auto kept = read_weights(beside.toStdString());
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->tensors.at("a.weight").to_f64(), std::vector<double>(9, 0.0));
  d_.undo();
  EXPECT_TRUE(d_.modified());
  ASSERT_TRUE(d_.save());
  ASSERT_TRUE(d_.weights()->written());
  EXPECT_FALSE(QFileInfo::exists(beside)) << "the document has none";
  EXPECT_TRUE(QFileInfo::exists(folder_.filePath("g.previous.safetensors"))) << "set aside, not destroyed";
}

TEST_F(LearntHistory, ASaveInARunThatIsUndoneIsNotWhatTheDocumentHolds) {
  run_on();
  load();
  ASSERT_TRUE(d_.saveAs(QUrl::fromLocalFile(folder_.filePath("g.halfwire"))));
  ASSERT_TRUE(d_.weights()->written());
  run_.start();
  ASSERT_TRUE(wait_for([&] { return run_.step() > 5; }));
  ASSERT_TRUE(d_.save());
  ASSERT_TRUE(d_.weights()->written());
  d_.undo();
  EXPECT_TRUE(holds(given_));
  EXPECT_TRUE(d_.modified()) << "the file has what the run had learnt";
  ASSERT_TRUE(d_.save());
  ASSERT_TRUE(d_.weights()->written());
  const auto kept = read_weights(folder_.filePath("g.safetensors").toStdString());
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->tensors.at("a.weight").to_f64(), std::vector<double>(9, 0.0));
}

TEST_F(LearntHistory, UndoOfATrainingKeepsTheStepsThatCanBeRedone) {
  load();
  train();
  const Weights trained = *d_.weights()->tensors();
  ASSERT_TRUE(d_.push("Target", {SetParam{"target", "value", 0.25}}));
  d_.undo();
  d_.undo();
  EXPECT_FALSE(holds(trained));
  while (d_.canRedo()) d_.redo();
  EXPECT_TRUE(holds(trained));
  EXPECT_EQ(std::get<double>(d_.graph().find("target")->params.at("value")), 0.25);
}

/// Weights are published while it runs only where something shows them.
TEST_F(LearntHistory, WhatWasNeverPublishedIsUnsavedAndIsSaved) {
  run_on();
  ASSERT_TRUE(d_.saveAs(QUrl::fromLocalFile(folder_.filePath("g.halfwire"))));
  EXPECT_FALSE(d_.modified());
  run_.start();
  ASSERT_TRUE(wait_for([&] { return run_.step() > 3; }));
  EXPECT_TRUE(d_.modified()) << "closing asks";
  ASSERT_TRUE(d_.save());
  ASSERT_TRUE(d_.weights()->written());
  const auto kept = read_weights(folder_.filePath("g.safetensors").toStdString());
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->tensors.size(), 2u);
  for (const auto& [name, tensor] : given_) {
    ASSERT_TRUE(kept->tensors.contains(name)) << name;
    EXPECT_EQ(kept->tensors.at(name).dims(), tensor.dims()) << name;
  }
}

TEST_F(LearntHistory, WhatAPartialLoadLeavesOutIsInTheStatus) {
  load();
  EXPECT_EQ(run_.stateText(), "Ready, with weights");
  d_.weights()->load({{"a.weight", Tensor::zeros(DType::f32, {3, 3})}}, {}, WeightsTaken::what_fits,
                     OtherDtypes::refused);
  ASSERT_TRUE(wait_for([&] { return d_.weights()->tensors()->size() == 1; }));
  const auto becomes = [&](const char* text) { return wait_for([&] { return run_.stateText() == text; }); };
  EXPECT_TRUE(becomes("Ready, with weights; 1 parameter has none")) << run_.stateText().toStdString();
  int emitted = 0;
  QObject::connect(&run_, &RunModel::stateChanged, &run_, [&] { ++emitted; });
  ASSERT_TRUE(
      d_.push("Add", {AddNode{node("b", "linear", {{"out_features", int64_t{2}}})}, AddLink{{"a", "y", "b", "x"}}}));
  EXPECT_TRUE(becomes("Ready, with weights; 3 parameters have none")) << run_.stateText().toStdString();
  EXPECT_GT(emitted, 0) << "after an edit, too";
  d_.undo();
  EXPECT_TRUE(becomes("Ready, with weights; 1 parameter has none")) << run_.stateText().toStdString();
}

}  // namespace
}  // namespace hw::app::testing
