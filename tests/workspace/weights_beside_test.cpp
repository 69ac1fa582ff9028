// Weights and the optimiser's state beside a graph's file: saved, read, copied, set aside.
#include "app/workspace/weights_beside.h"

#include <gmock/gmock.h>

#include "app/workspace/set_aside.h"
#include "engine/io/checkpoint/checkpoint_file.h"
#include "tests/workspace/quiet.h"

namespace hw::workspace {
namespace {

using ::testing::HasSubstr;

class WorkspaceWeightsBeside : public test::Quiet {
 protected:
  static Weights learnt(float value) {
    return {{"w.value", Tensor::from_f32(DType::f32, {1}, std::vector<float>{value})}};
  }
  static Checkpoint states(float value) {
    Checkpoint made;
    made.states = learnt(value);
    made.losses = {0.5F, 0.25F};
    made.step = 2;
    made.steps = 10;
    made.device = "cpu";
    return made;
  }
  std::filesystem::path saved(const std::string& graph, float value) const {
    const std::filesystem::path file = weights_file(folder_ / graph);
    const Checkpoint its = states(value);
    const Status written = save_weights_beside(Graph(), learnt(value), &its, file);
    EXPECT_TRUE(written) << written.error().text();
    return file;
  }
  static double value_in(const std::filesystem::path& file) {
    const auto read = read_weights_beside(file);
    EXPECT_TRUE(read) << read.error().text();
    return read ? read->tensors.at("w.value").to_f64().front() : 0;
  }
};

TEST_F(WorkspaceWeightsBeside, HaveTheGraphsName) {
  EXPECT_EQ(weights_file("a/net.halfwire"), "a/net.safetensors");
  EXPECT_EQ(weights_file("net.v2.halfwire"), "net.v2.safetensors");
  EXPECT_EQ(weights_file("net"), "net.safetensors");
}

TEST_F(WorkspaceWeightsBeside, ComeBackWithTheOptimisersState) {
  const std::filesystem::path file = saved("g.halfwire", 3);
  const auto read = read_weights_beside(file);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->tensors.at("w.value").to_f64(), std::vector<double>{3});
  EXPECT_FALSE(read->problem);
  ASSERT_TRUE(read->states);
  EXPECT_EQ(read->states->step, 2u);
  ASSERT_TRUE(save_weights_beside(Graph(), learnt(4), nullptr, file));
  EXPECT_FALSE(std::filesystem::exists(optimiser_file(file))) << "it would belong to other weights";
  EXPECT_FALSE(read_weights_beside(file)->states);
}

TEST_F(WorkspaceWeightsBeside, AStateOfOtherWeightsIsNotTaken) {
  const std::filesystem::path file = saved("g.halfwire", 3);
  ASSERT_TRUE(save_weights(weights_to_save(Graph(), learnt(4)), file));
  const auto read = read_weights_beside(file);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->tensors.at("w.value").to_f64(), std::vector<double>{4});
  EXPECT_FALSE(read->states);
  ASSERT_TRUE(read->problem);
  EXPECT_EQ(read->problem->code, codes::weights_mismatch);
}

TEST_F(WorkspaceWeightsBeside, SaySoInTheirFile) {
  const std::filesystem::path file = folder_ / "g.safetensors";
  ASSERT_TRUE(save_weights(weights_to_save(Graph(), learnt(1), {{"step", "7"}}), file));
  const auto metadata = read_metadata(file);
  ASSERT_TRUE(metadata) << metadata.error().text();
  EXPECT_EQ(metadata->at("format"), "halfwire");
  EXPECT_EQ(metadata->at("step"), "7");
  EXPECT_THAT(metadata->at(kChecksum), HasSubstr("crc32:"));
}

TEST_F(WorkspaceWeightsBeside, AreCopiedTogether) {
  const std::filesystem::path file = saved("g.halfwire", 3), copy = folder_ / "copy.safetensors";
  ASSERT_TRUE(copy_weights_beside(file, copy));
  EXPECT_TRUE(has_optimiser(copy));
  EXPECT_EQ(value_in(copy), 3);
  const Status refused = copy_weights_beside(folder_ / "none.safetensors", copy);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::file_unwritable);
  EXPECT_EQ(value_in(copy), 3);
}

/// The window and the command line have one rule, also for names with several dots.
TEST_F(WorkspaceWeightsBeside, AreSetAsideTogether) {
  const std::filesystem::path file = saved("net.v2.halfwire", 3);
  const auto kept = set_aside_with_optimiser(file);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->weights, "net.v2.previous.safetensors");
  EXPECT_EQ(kept->optimiser, "net.v2.previous.optimiser.safetensors");
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(has_optimiser(folder_ / "net.v2.previous.safetensors"));
  const auto none = set_aside_with_optimiser(file);
  ASSERT_TRUE(none) << none.error().text();
  EXPECT_EQ(none->weights + none->optimiser, "");

  saved("net.v2.halfwire", 4);
  std::filesystem::remove(folder_ / "net.v2.previous.safetensors");
  const auto next = set_aside_with_optimiser(file);
  ASSERT_TRUE(next) << next.error().text();
  EXPECT_EQ(next->weights, "net.v2.previous-2.safetensors") << "the name of both is free";
  EXPECT_EQ(next->optimiser, "net.v2.previous-2.optimiser.safetensors");

  saved("net.v2.halfwire", 5);
  std::filesystem::remove(file);
  const auto state = set_aside_with_optimiser(file);
  ASSERT_TRUE(state) << state.error().text();
  EXPECT_EQ(state->weights, "");
  EXPECT_EQ(state->optimiser, "net.v2.previous-3.optimiser.safetensors") << "the first number that is free";
}

TEST_F(WorkspaceWeightsBeside, AFolderOfTheirNameIsNotSetAside) {
  std::filesystem::create_directory(folder_ / "g.safetensors");
  const auto kept = set_aside_with_optimiser(folder_ / "g.safetensors");
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->weights + kept->optimiser, "");
  const auto results = set_aside(folder_.path(), {"g.safetensors"});
  ASSERT_TRUE(results) << results.error().text();
  EXPECT_TRUE(results->empty());
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "g.safetensors"));
}

TEST_F(WorkspaceWeightsBeside, AreReadWithinReachAlone) {
  std::filesystem::create_directory(folder_ / "in");
  const std::filesystem::path outside = saved("g.halfwire", 3), link = folder_ / "in/g.safetensors";
  const Reach reach(folder_ / "in");
  std::filesystem::create_symlink(outside, link);
  EXPECT_EQ(may_read_weights(reach, link).error().code, codes::asset_refused);
  std::filesystem::remove(link);
  std::filesystem::copy_file(outside, link);
  EXPECT_TRUE(may_read_weights(reach, link));
  std::filesystem::create_symlink(optimiser_file(outside), optimiser_file(link));
  EXPECT_EQ(may_read_weights(reach, link).error().code, codes::asset_refused) << "the optimiser's state, too";
}

}  // namespace
}  // namespace hw::workspace
