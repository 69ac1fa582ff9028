// compare-runs: one table and one plot of several graphs' losses.
#include <gmock/gmock.h>

#include "engine/io/asset/assets.h"
#include "engine/io/file/folder_lock.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::kExample;
using test::small;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CliCompareRuns, WritesTheLossesOfEachRun) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  const std::string f16 = std::string(HALFWIRE_EXAMPLES) + "/precision/all_f16_scaled.halfwire";
  const auto o = cli(small({"compare-runs", kExample, f16, "--steps", "4", "--out", out}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("neural_texture"));
  EXPECT_THAT(o.out, HasSubstr("65536        0")) << "the scale is f32: no step is left out";
  const std::string csv = test::read_bytes(std::filesystem::path(out) / "compare.csv");
  EXPECT_THAT(csv, StartsWith("step,neural_texture,all_f16_scaled\n1,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  EXPECT_THAT(test::read_bytes(std::filesystem::path(out) / "compare.png"), HasSubstr("PNG"));
}

TEST(CliCompareRuns, AFolderHasOneWriter) {
  const test::TempFolder folder;
  const auto held = FolderLock::take(folder.path());
  ASSERT_TRUE(held);
  const auto o = cli(small({"compare-runs", kExample, "--steps", "1", "--out", folder.path()}));
  EXPECT_EQ(o.exit, 3);
  EXPECT_THAT(o.err, HasSubstr("HW-F002"));
}

TEST(CliCompareRuns, SaysWhatIsWrong) {
  const auto o = cli({"compare-runs", "nowhere.halfwire", "--steps", "1"});
  EXPECT_EQ(o.exit, 3);
  EXPECT_THAT(o.err, HasSubstr("HW-F001"));
}

/// The claim of the example: all f16 loses small gradients, scaling keeps them.
TEST(CliCompareRuns, AllF16IsWorseThanWithLossScaling) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string(), precision = std::string(HALFWIRE_EXAMPLES) + "/precision/";
  const auto o = cli({"compare-runs", precision + "all_f16.halfwire", precision + "all_f16_scaled.halfwire", "--steps",
                      "160", "--out", out});
  ASSERT_EQ(o.exit, 0) << o.err;
  std::istringstream csv(test::read_bytes(std::filesystem::path(out) / "compare.csv"));
  std::string line;
  double plain = 0, scaled = 0;
  for (int row = 0; std::getline(csv, line); ++row) {
    if (row <= 140) continue;  // the last 20 of 160
    const size_t first = line.find(','), second = line.find(',', first + 1);
    plain += std::stod(line.substr(first + 1, second - first - 1));
    scaled += std::stod(line.substr(second + 1));
  }
  EXPECT_GT(plain, 1.5 * scaled);
}

TEST(CliCompareRuns, KeepsTheRunsThatAreDoneWhenALaterOneFails) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  const auto o = cli(small({"compare-runs", kExample, "nowhere.halfwire", "--steps", "4", "--out", out}));
  EXPECT_EQ(o.exit, 3);
  EXPECT_THAT(o.err, HasSubstr("HW-F001"));
  EXPECT_THAT(o.out, HasSubstr("neural_texture"));
  const std::string csv = test::read_bytes(std::filesystem::path(out) / "compare.csv");
  EXPECT_THAT(csv, StartsWith("step,neural_texture\n1,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
}

}  // namespace
}  // namespace hw
