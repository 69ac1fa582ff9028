// Runs in the editor: when they start, and their checkpoints: saved while it trains, and gone on from, to the bit.
#include <gtest/gtest.h>

#include <QFileInfo>
#include <cmath>
#include <cstring>
#include <optional>

#include "app/document/document_assets.h"
#include "app/models/run/run_model.h"
#include "engine/io/checkpoint/checkpoint_file.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/app/support.h"

namespace hw::app::testing::run_checkpoint_test {
namespace {

/// Something small that trains without files.
void fill(Document& d, int64_t steps) {
  const ParamValue shape = std::vector<double>{4, 3};
  ASSERT_TRUE(d.push("Fill", {AddNode{node("x", "constant", {{"shape", shape}})},
                              AddNode{node("target", "constant", {{"shape", shape}, {"value", 0.5}})},
                              AddNode{node("a", "linear", {{"out_features", int64_t{3}}})}, AddNode{node("mse", "mse")},
                              AddNode{node("train", "train", {{"steps", steps}})}, AddLink{{"x", "y", "a", "x"}},
                              AddLink{{"a", "y", "mse", "prediction"}}, AddLink{{"target", "y", "mse", "target"}},
                              AddLink{{"mse", "loss", "train", "loss"}}}));
}

TEST(RunCheckpoint, IsSavedWhileTrainingAndGoneOnFrom) {
  QTemporaryDir folder;
  const QString path = folder.filePath("c.safetensors");
  Document d;
  fill(d, 1'000'000'000);
  QStringList saved, codes;
  {
    RunModel run(d, assets_of(d));
    QObject::connect(&run, &RunModel::checkpointSaved, &run, [&](const QString& file) { saved << file; });
    QObject::connect(&run, &RunModel::failed, &run, [&](const QString& code) { codes << code; });
    run.saveCheckpoint(QUrl::fromLocalFile(path));
    ASSERT_TRUE(wait_for([&] { return !codes.isEmpty(); })) << "there is nothing to save yet, and it says so";
    run.start();
    ASSERT_TRUE(wait_for([&] { return run.step() > 3; }));
    run.saveCheckpoint(QUrl::fromLocalFile(path));
    ASSERT_TRUE(wait_for([&] { return !saved.isEmpty(); }));
    EXPECT_TRUE(run.running());
    run.stop();
  }
  const auto checkpoint = read_checkpoint(path.toStdString());
  ASSERT_TRUE(checkpoint) << checkpoint.error().text();
  RunModel run(d, assets_of(d));
  run.resumeFrom(QUrl::fromLocalFile(path));
  ASSERT_TRUE(wait_for([&] { return run.step() > checkpoint->step; }));
  const std::vector<float>& losses = *run.snapshot().losses;
  ASSERT_GE(losses.size(), checkpoint->losses.size());
  EXPECT_TRUE(std::equal(checkpoint->losses.begin(), checkpoint->losses.end(), losses.begin()));
}

/// With and without somebody who looks at the weights, and with and without the optimiser's state beside them.
TEST(RunSaved, SavingInARunSaysItsStepAndMarksNothingUntilTheRunEnds) {
  for (const bool watched : {false, true}) {
    for (const bool keeps : {true, false}) {
      QTemporaryDir folder;
      const QString file = folder.filePath("g.halfwire"), weights = folder.filePath("g.safetensors");
      Document d;
      fill(d, 1'000'000'000);
      d.weights()->setKeepsOptimiser(keeps);
      RunModel run(d, assets_of(d));
      run.setWeightsWanted(watched);
      std::vector<qulonglong> steps;
      QObject::connect(d.weights(), &DocumentWeights::savedInRun, &d, [&](qulonglong step) { steps.push_back(step); });
      run.start();
      ASSERT_TRUE(wait_for([&] { return run.step() > 3; }));
      ASSERT_TRUE(d.saveAs(QUrl::fromLocalFile(file)));
      EXPECT_FALSE(d.marked()) << "all that there is is saved";
      ASSERT_TRUE(wait_for([&] { return steps.size() == 1; }));
      EXPECT_GT(steps.front(), 0u);
      EXPECT_TRUE(run.running());
      EXPECT_TRUE(QFileInfo::exists(weights));
      const QString states = folder.filePath("g.optimiser.safetensors");
      EXPECT_EQ(QFileInfo::exists(states), keeps);
      if (keeps) {
        const auto saved = read_checkpoint(states.toStdString());
        ASSERT_TRUE(saved) << saved.error().text();
        EXPECT_EQ(saved->step, steps.front()) << "what was said";
      }
      ASSERT_TRUE(wait_for([&] { return run.step() > steps.front() + 100; }));
      EXPECT_FALSE(d.marked()) << "the run goes on";
      EXPECT_TRUE(d.modified()) << "closing asks: what it has learnt since is not saved";
      run.stop();
      ASSERT_TRUE(wait_for([&] { return !run.running() && d.marked(); })) << "newer weights, and no run";
      ASSERT_TRUE(d.save());
      EXPECT_FALSE(d.marked() || d.modified());
      EXPECT_TRUE(d.weights()->written());
      EXPECT_EQ(steps.size(), 1u) << "no run goes on";
    }
  }
}

TEST(RunCheckpoint, WhatIsNoCheckpointIsRefused) {
  Document d;
  fill(d, 10);
  RunModel run(d, assets_of(d));
  QStringList codes;
  QObject::connect(&run, &RunModel::failed, &run, [&](const QString& code) { codes << code; });
  run.resumeFrom(QUrl::fromLocalFile("/nowhere/c.safetensors"));
  ASSERT_TRUE(wait_for([&] { return !codes.isEmpty(); }));
  EXPECT_EQ(codes.first(), "HW-F001");
}

/// A training that has ended, and its checkpoint in a file.
class RunCheckpointRefused : public ::testing::Test {
 protected:
  void SetUp() override {
    fill(document_, 4);
    run_.emplace(document_, assets_of(document_));
    QObject::connect(&*run_, &RunModel::checkpointSaved, &*run_, [this](const QString& file) { saved_ << file; });
    QObject::connect(&*run_, &RunModel::failed, &*run_, [this](const QString& code) { codes_ << code; });
    run_->start();
    ASSERT_TRUE(wait_for([&] { return run_->state() == "finished"; }));
    run_->saveCheckpoint(QUrl::fromLocalFile(path_));
    ASSERT_TRUE(wait_for([&] { return !saved_.isEmpty(); }));
    auto read = read_checkpoint(path_.toStdString());
    ASSERT_TRUE(read) << read.error().text();
    checkpoint_ = *std::move(read);
  }
  /// It is refused before what was trained is given up for it.
  void expect_refused(const Checkpoint& from, const QString& code) {
    codes_.clear();
    ASSERT_TRUE(save_checkpoint(from, path_.toStdString()));
    run_->resumeFrom(QUrl::fromLocalFile(path_));
    ASSERT_TRUE(wait_for([&] { return !codes_.isEmpty(); }));
    EXPECT_EQ(codes_.first(), code);
    EXPECT_EQ(run_->step(), 4u);
    EXPECT_EQ(run_->state(), "finished");
    ASSERT_TRUE(document_.weights()->tensors());
    EXPECT_TRUE(document_.weights()->tensors()->contains("a.weight"));
  }
  QTemporaryDir folder_;
  const QString path_ = folder_.filePath("c.safetensors");
  Document document_;
  QStringList saved_, codes_;
  std::optional<RunModel> run_;
  Checkpoint checkpoint_;
};

TEST_F(RunCheckpointRefused, WhereItIsNotSound) {
  Tensor& state = checkpoint_.states.at("a.weight");
  state = Tensor::from_f32(DType::f32, state.dims(), std::vector<float>(static_cast<size_t>(state.size()), NAN));
  expect_refused(checkpoint_, "HW-R003");
}

TEST_F(RunCheckpointRefused, WhereItDoesNotFit) {
  Checkpoint seeded = checkpoint_, wider = checkpoint_;
  seeded.seed += 1;
  wider.states.at("a.weight") = Tensor::zeros(DType::f32, {5, 3});
  expect_refused(seeded, "HW-F005");
  expect_refused(wider, "HW-F005");
}

/// Training would make weights that the next save puts in the place of those that were refused.
TEST(RunStart, IsRefusedOverWeightsThatWereNotTaken) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("g.halfwire");
  {
    Document writer;
    fill(writer, 10);
    ASSERT_TRUE(writer.saveAs(QUrl::fromLocalFile(file)));
    const WeightsFile narrow{
        {{"a.weight", Tensor::zeros(DType::f16, {3, 3})}, {"a.bias", Tensor::zeros(DType::f16, {3})}}, {}};
    ASSERT_TRUE(save_weights(narrow, folder.filePath("g.safetensors").toStdString()));
  }
  Document d;
  RunModel run(d, assets_of(d));
  QStringList codes;
  QObject::connect(&run, &RunModel::failed, &run, [&](const QString& code) { codes << code; });
  ASSERT_TRUE(d.load(QUrl::fromLocalFile(file)));
  ASSERT_TRUE(wait_for([&] { return !d.weights()->problems().empty(); }));
  run.start();
  EXPECT_EQ(codes, QStringList{"HW-D003"});
  codes.clear();
  run.stepOnce();
  EXPECT_EQ(codes, QStringList{"HW-D003"});
  EXPECT_EQ(run.state(), "idle");
  const WeightFormat convert{DType::f32, false, true};
  ASSERT_TRUE(d.push("Convert", {SetWeight{"a", "weight", convert}, SetWeight{"a", "bias", convert}}));
  ASSERT_TRUE(wait_for([&] { return d.weights()->tensors() != nullptr; }));
  run.start();
  EXPECT_TRUE(wait_for([&] { return run.state() == "finished"; })) << run.state().toStdString();
}

/// Run, pressed before the weights beside the graph are read, trains those and not initial ones.
TEST(RunStart, WaitsForTheWeightsThatAreBeingRead) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("g.halfwire");
  {
    Document writer;
    fill(writer, 10);
    const WeightFormat convert{DType::f32, false, true};
    ASSERT_TRUE(writer.push("Convert", {SetWeight{"a", "weight", convert}, SetWeight{"a", "bias", convert},
                                        SetParam{"train", "learning_rate", 1e-9}}));
    ASSERT_TRUE(writer.saveAs(QUrl::fromLocalFile(file)));
    const Tensor bias = Tensor::from_f64(DType::f16, {3}, {{1000, 2000, 3000}});
    const WeightsFile narrow{{{"a.weight", Tensor::zeros(DType::f16, {3, 3})}, {"a.bias", bias}}, {}};
    ASSERT_TRUE(save_weights(narrow, folder.filePath("g.safetensors").toStdString()));
  }
  Document d;
  RunModel run(d, assets_of(d));
  ASSERT_TRUE(d.load(QUrl::fromLocalFile(file)));
  EXPECT_TRUE(d.weights()->pending());
  run.start();
  ASSERT_TRUE(wait_for([&] { return run.state() == "finished"; })) << run.state().toStdString();
  EXPECT_FALSE(d.weights()->pending());
  EXPECT_GT(run.snapshot().losses->front(), 1e6) << "the loss of those weights";
}

/// Trains to the end of a run of steps, saves, and gives what there is then.
std::shared_ptr<const RunSnapshot> trained(RunModel& run) {
  const qulonglong before = run.step();
  run.start();
  EXPECT_TRUE(wait_for([&] { return run.state() == "finished" && run.step() > before; })) << run.state().toStdString();
  return std::make_shared<const RunSnapshot>(run.snapshot());
}

void expect_same_bits(const Weights& a, const Weights& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a)
    EXPECT_EQ(std::memcmp(tensor.data(), b.at(name).data(), tensor.bytes()), 0) << name;
}

/// Adam's moments, the step and the losses come back with the weights.
TEST(RunReopened, TrainsOnAsIfItHadNeverBeenClosed) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("g.halfwire");
  std::shared_ptr<const RunSnapshot> unclosed;
  {
    Document d;
    RunModel run(d, assets_of(d));
    fill(d, 10);
    trained(run);
    ASSERT_TRUE(d.saveAs(QUrl::fromLocalFile(file)));
    ASSERT_TRUE(d.weights()->written());
    EXPECT_FALSE(run.statesSize().isEmpty());
    unclosed = trained(run);
  }
  ASSERT_TRUE(QFileInfo::exists(folder.filePath("g.optimiser.safetensors")));
  Document d;
  RunModel run(d, assets_of(d));
  ASSERT_TRUE(d.load(QUrl::fromLocalFile(file)));
  ASSERT_TRUE(wait_for([&] { return run.loaded(); }));
  EXPECT_EQ(run.stateText(), "Ready, saved at step 10");
  const auto reopened = trained(run);
  EXPECT_EQ(reopened->step, 20u);
  EXPECT_EQ(*reopened->losses, *unclosed->losses);
  expect_same_bits(*reopened->weights, *unclosed->weights);
  EXPECT_TRUE(reopened->notes.empty()) << reopened->notes.front();
}

/// The same file, the weights replaced: what lies beside them is another run's.
TEST(RunReopened, TheOptimisersStateOfOtherWeightsIsNotTaken) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("g.halfwire");
  {
    Document d;
    RunModel run(d, assets_of(d));
    fill(d, 10);
    trained(run);
    ASSERT_TRUE(d.saveAs(QUrl::fromLocalFile(file)));
    ASSERT_TRUE(d.weights()->written());
  }
  const std::string weights = folder.filePath("g.safetensors").toStdString();
  auto read = read_weights(weights);
  ASSERT_TRUE(read);
  read->metadata.erase(kChecksum);
  ASSERT_TRUE(save_weights(*read, weights));
  Document d;
  Refusals refused(d);
  RunModel run(d, assets_of(d));
  ASSERT_TRUE(d.load(QUrl::fromLocalFile(file)));
  ASSERT_TRUE(wait_for([&] { return run.loaded(); }));
  EXPECT_EQ(refused.code, "HW-F005");
  EXPECT_EQ(run.stateText(), "Ready, with weights");
  EXPECT_EQ(trained(run)->step, 10u);
}

/// Without the wish none is written, and one that lay there goes: it would belong to other weights.
TEST(RunReopened, TheOptimisersStateIsOptional) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("g.halfwire");
  Document d;
  RunModel run(d, assets_of(d));
  fill(d, 10);
  for (const bool keeps : {true, false}) {
    trained(run);
    d.weights()->setKeepsOptimiser(keeps);
    ASSERT_TRUE(d.saveAs(QUrl::fromLocalFile(file)));
    ASSERT_TRUE(d.weights()->written());
    EXPECT_EQ(QFileInfo::exists(folder.filePath("g.optimiser.safetensors")), keeps);
    Document again;
    RunModel reopened(again, assets_of(again));
    ASSERT_TRUE(again.load(QUrl::fromLocalFile(file)));
    ASSERT_TRUE(wait_for([&] { return reopened.loaded(); }));
    EXPECT_EQ(reopened.loadedStates(), keeps) << "what the empty loss panel says";
  }
}

/// One rule with the command line: what is missing or superfluous is refused, and what fits can be taken.
TEST(RunStart, ForeignWeightsAreRefusedUntilWhatFitsIsAskedFor) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("g.halfwire");
  {
    Document writer;
    fill(writer, 10);
    ASSERT_TRUE(writer.saveAs(QUrl::fromLocalFile(file)));
    const WeightsFile foreign{
        {{"a.weight", Tensor::zeros(DType::f32, {3, 3})}, {"net.weight", Tensor::zeros(DType::f32, {3})}}, {}};
    ASSERT_TRUE(save_weights(foreign, folder.filePath("g.safetensors").toStdString()));
  }
  Document d;
  Refusals refused(d);
  ASSERT_TRUE(d.load(QUrl::fromLocalFile(file)));
  ASSERT_TRUE(wait_for([&] { return !d.weights()->problems().empty(); }));
  EXPECT_EQ(refused.code, "HW-F005");
  EXPECT_TRUE(refused.reason.contains("missing: a.bias")) << refused.reason.toStdString();
  EXPECT_TRUE(refused.reason.contains("superfluous: net.weight")) << refused.reason.toStdString();
  d.weights()->takePartial();
  EXPECT_TRUE(d.weights()->problems().empty());
  ASSERT_TRUE(d.weights()->tensors());
  EXPECT_EQ(d.weights()->tensors()->size(), 1u);
}

}  // namespace
}  // namespace hw::app::testing::run_checkpoint_test
