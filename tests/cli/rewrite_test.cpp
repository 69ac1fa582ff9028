// rewrite from the terminal: the list, the proof, the files, and what is refused.
#include <gmock/gmock.h>

#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::TempFolder;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kNetwork = std::string(HALFWIRE_EXAMPLES) + "/networks/ResNet-20-CIFAR.halfwire";

TEST(RewriteCommand, ListsTheRulesAndTheirPlaces) {
  const auto o = cli({"rewrite", kNetwork});
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("fold_batch_norm        21 "));
  EXPECT_THAT(o.out, HasSubstr("merge_convs             0 "));
}

TEST(RewriteCommand, FoldsProvesAndWrites) {
  const TempFolder folder;
  const std::string out = (folder / "folded.halfwire").string();
  const auto o = cli({"rewrite", kNetwork, "fold_batch_norm", "-o", out, "--batches", "2"});
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("norm_stem into conv_stem"));
  EXPECT_THAT(o.out, HasSubstr("21 outputs over 2 batches on cpu, in evaluation mode; all hold"));
  EXPECT_THAT(o.err, HasSubstr("initial ones of seed 0"));
  EXPECT_TRUE(std::filesystem::exists(folder / "folded.safetensors"));
  // The written graph takes the written weights, and gives what the other gives.
  const auto again = cli({"rewrite", out, "fold_batch_norm"});
  EXPECT_EQ(again.exit, 1);
  EXPECT_THAT(again.err, HasSubstr("no place for it"));
  const auto run = cli({"run", out, "--output", "classifier.y"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("weights")));
}

TEST(RewriteCommand, RefusesWhatItDoesNotKnow) {
  const auto unknown = cli({"rewrite", kNetwork, "fold"});
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_THAT(unknown.err, HasSubstr("Use one of: fold_batch_norm, merge_convs"));
  const auto itself = cli({"rewrite", kNetwork, "fold_batch_norm", "-o", kNetwork});
  EXPECT_NE(itself.exit, 0);
  const TempFolder folder;
  const auto in_folder = cli({"rewrite", kNetwork, "mixed_precision", "-o", folder.path().string()});
  EXPECT_EQ(in_folder.exit, 3);
  EXPECT_THAT(in_folder.err, HasSubstr("is a folder"));
  test::write_bytes(folder / "o.safetensors", "of another graph");
  const auto beside = cli({"rewrite", kNetwork, "mixed_precision", "-o", (folder / "o.halfwire").string()});
  EXPECT_EQ(beside.exit, 3);
  EXPECT_THAT(beside.err, HasSubstr("would be taken for its weights"));
  EXPECT_FALSE(std::filesystem::exists(folder / "o.halfwire"));
  const auto weights = cli({"rewrite", kNetwork, "fold_batch_norm", "--weights", "/nonexistent.safetensors"});
  EXPECT_EQ(weights.exit, 3);
}

}  // namespace
}  // namespace hw
