// What a training begins with and goes on from, and a graph that a check changed.
#include <gmock/gmock.h>

#include <cmath>

#include "app/workspace/resume_place.h"
#include "app/workspace/whole_training.h"
#include "engine/io/graph/graph_file.h"
#include "tests/workspace/quiet.h"

namespace hw::workspace {
namespace {

using test::texts;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WorkspaceTraining : public test::Quiet {
 protected:
  /// A checkpoint of the sine's training after two steps.
  std::string checkpoint() {
    const auto open = open_trainable({.graph = HALFWIRE_EXAMPLES "/sine.halfwire"}, {}, notes_);
    EXPECT_TRUE(open) << open.error().text();
    Session session(open->assets, nullptr);
    session.start(open->graph, "cpu", 2);
    session.wait();
    std::shared_ptr<const Checkpoint> taken;
    session.take_checkpoint([&](std::shared_ptr<const Checkpoint> states) { taken = std::move(states); });
    session.wait();
    EXPECT_TRUE(taken);
    const std::filesystem::path file = folder_ / checkpoint_name(2);
    EXPECT_TRUE(taken && save_checkpoint(*taken, file));
    return file.string();
  }
};

TEST_F(WorkspaceTraining, GoesOnFromTheNewestSoundCheckpoint) {
  const std::string older = checkpoint();
  const auto found = find_resume_place(folder_.path().string(), notes_);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->file.string(), older);
  EXPECT_EQ(found->checkpoint.step, 2u);
  EXPECT_THAT(notes_, IsEmpty());

  const std::string damaged = written(checkpoint_name(4), "no checkpoint");
  const auto sound = find_resume_place(folder_.path().string(), notes_);
  ASSERT_TRUE(sound) << sound.error().text();
  EXPECT_EQ(sound->checkpoint.step, 2u);
  EXPECT_THAT(texts(notes_),
              ElementsAre(HasSubstr(damaged + " is damaged and kept as " + checkpoint_name(4) + ".damaged"),
                          "the run goes on from step 2, the newest sound checkpoint"));
  EXPECT_TRUE(std::filesystem::exists(damaged + ".damaged"));
}

TEST_F(WorkspaceTraining, DoesNotGoOnFromACheckpointThatIsNotSound) {
  const std::string file = checkpoint();
  auto read = read_sound_checkpoint(file);
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_FALSE(read->states.empty());
  for (auto& [name, state] : read->states)
    if (state.dtype() == DType::f32)
      state = Tensor::from_f32(DType::f32, state.dims(),
                               std::vector<float>(static_cast<size_t>(state.size()), std::nanf("")));
  ASSERT_TRUE(save_checkpoint(*read, file));
  const auto refused = read_sound_checkpoint(file);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::not_finite);
  EXPECT_EQ(refused.error().where, file);
  EXPECT_EQ(read_sound_checkpoint(folder_ / "none.safetensors").error().code, codes::file_unreadable);
}

TEST_F(WorkspaceTraining, OfACheckBeginsWithInitialWeights) {
  WholeTrainingRequest request(3, 64);
  request.graph = HALFWIRE_EXAMPLES "/sine.halfwire";
  const auto training = whole_training(request, notes_);
  ASSERT_TRUE(training) << training.error().text();
  EXPECT_FALSE(training->weights);
  EXPECT_TRUE(training->assets);
  EXPECT_EQ(training->reduced.graph.nodes().size(), read_graph(request.graph)->nodes().size());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(WorkspaceTraining, WhatACheckChangedIsSavedWithoutItsLoss) {
  const std::string file = written("g.halfwire", R"({"halfwire": 1, "nodes": [
    {"id": "x", "type": "input", "params": {"shape": [4, 3]}},
    {"id": "layer", "type": "linear", "params": {"out_features": 2}}, {"id": "y", "type": "output"}],
    "links": [["x.y", "layer.x"], ["layer.y", "y.x"]]})");
  const auto ran = open_trainable({.graph = file}, {.checks = true}, notes_);
  ASSERT_TRUE(ran) << ran.error().text();
  const std::string out = (folder_ / "out.halfwire").string();
  ASSERT_TRUE(save_changed({.graph = file}, *ran, {SetParam{"layer", "out_features", int64_t{5}}}, out, notes_));
  const auto saved = read_graph(out);
  ASSERT_TRUE(saved) << saved.error().text();
  EXPECT_EQ(saved->nodes().size(), 3u);
  EXPECT_EQ(std::get<int64_t>(saved->find("layer")->params.at("out_features")), 5);
}

}  // namespace
}  // namespace hw::workspace
