// The graphs that come with the program: each is valid and learns.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/cli/made_digits.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::example;
using test::MadeDigits;
using test::Outcome;
using test::TempFolder;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The losses of a run of the example, one a step; `options` go to the command.
std::vector<double> losses(const std::string& name, const std::vector<std::string>& options) {
  const TempFolder folder;
  std::vector<std::string> args{"train", example(name), "--out", (folder / "out").string()};
  args.insert(args.end(), options.begin(), options.end());
  const Outcome o = cli(args);
  EXPECT_EQ(o.exit, 0) << o.err;
  std::istringstream csv(test::read_bytes(folder / "out/loss.csv"));
  std::vector<double> found;
  std::string line;
  std::getline(csv, line);
  while (std::getline(csv, line)) found.push_back(std::stod(line.substr(line.find(',') + 1)));
  return found;
}

/// The means of the first and of the last five.
std::pair<double, double> ends(const std::vector<double>& losses) {
  if (losses.size() < 10) {
    ADD_FAILURE() << "too few steps: " << losses.size();
    return {};
  }
  return {std::accumulate(losses.begin(), losses.begin() + 5, 0.0) / 5,
          std::accumulate(losses.end() - 5, losses.end(), 0.0) / 5};
}

TEST(Examples, EachIsValid) {
  const MadeDigits digits;
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HALFWIRE_EXAMPLES)) {
    if (entry.path().extension() != ".halfwire") continue;
    ++count;
    const Outcome o = cli({"validate", entry.path().string()});
    EXPECT_EQ(o.exit, 0) << entry.path();
    EXPECT_EQ(o.err, "") << entry.path();
    EXPECT_EQ(json::parse(cli({"validate", "--json", entry.path().string()}).out)["errors"], 0) << entry.path();
  }
  EXPECT_GE(count, 6u);
}

TEST(Examples, WithoutTheDataSetOnlyThatIsMissed) {
  ::unsetenv("HALFWIRE_ASSETS");
  for (const char* name : {"autoencoder", "digits"}) {
    const Outcome o = cli({"validate", example(name)});
    EXPECT_EQ(o.exit, 0) << o.err;
    EXPECT_THAT(o.err, StartsWith("warning: HW-A001 at data.path: "));
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_THAT(o.out, HasSubstr(" 0 errors"));
  }
}

TEST(Examples, SineIsLearntInItsOwnSteps) {
  const auto [first, last] = ends(losses("sine", {}));
  EXPECT_GT(first, 0.1);
  EXPECT_LT(last, 1e-3);
}

TEST(Examples, RotationIsFoundInItsOwnSteps) {
  const auto [first, last] = ends(losses("rotation", {}));
  EXPECT_GT(first, 0.1);
  EXPECT_LT(last, 1e-6);
}

TEST(Examples, PhotographLearns) {
  const auto [first, last] = ends(losses("photograph", {"--steps", "60", "--set", "sampler.points=1024", "--set",
                                                        "encoder.log2_table=10", "--set", "encoder.levels=6"}));
  EXPECT_LT(last, first / 2);
}

TEST(Examples, ImageTo3dLearns) {
  const auto [first, last] = ends(losses("image_to_3d", {"--steps", "250", "--set", "sampler.points=512"}));
  EXPECT_LT(last, first / 2);
}

TEST(Examples, AutoencoderLearns) {
  const MadeDigits digits;
  const auto [first, last] = ends(losses("autoencoder", {"--steps", "60", "--set", "batch.batch_size=16"}));
  EXPECT_LT(last, first / 2);
}

}  // namespace
}  // namespace hw
