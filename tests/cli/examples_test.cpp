// The graphs that come with the program: each is valid and learns.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/cli/made_data.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::example;
using test::MadeData;
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
  const MadeData data;
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

TEST(Examples, InMicroBatchesAreThoseOfOneBatch) {
  const MadeData data;
  size_t with_batch_norm = 0, others = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HALFWIRE_EXAMPLES)) {
    if (entry.path().extension() != ".halfwire") continue;
    const std::string graph = test::read_bytes(entry.path());
    if (graph.find("\"type\": \"train\"") == std::string::npos) continue;
    const Outcome o = cli({"validate", entry.path().string(), "--set", "train.accumulate=2"});
    EXPECT_EQ(o.exit, 0) << entry.path() << o.err;
    if (graph.find("\"batch_norm\"") == std::string::npos) {
      ++others;
      EXPECT_EQ(o.err, "") << entry.path();
      continue;
    }
    ++with_batch_norm;
    EXPECT_THAT(o.err, HasSubstr("is over the samples of each of the 2 micro-batches alone (op channel_moments)"));
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << entry.path() << o.err;
  }
  EXPECT_GE(with_batch_norm, 2u);
  EXPECT_GE(others, 6u);
}

TEST(Examples, WithoutTheDataSetOnlyThatIsMissed) {
  ::unsetenv("HALFWIRE_ASSETS");
  for (const char* name : {"autoencoder", "digits", "language_model", "spoken_digits"}) {
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

TEST(Examples, SpokenDigitsLearn) {
  const MadeData data;
  const auto [first, last] = ends(losses("spoken_digits", {"--steps", "30", "--set", "batch.batch_size=8"}));
  EXPECT_LT(last, first / 2);
}

TEST(Examples, ALanguageModelLearnsAndWrites) {
  const MadeData data;
  const TempFolder folder;
  const std::vector<std::string> small{"--set", "batch.batch_size=4", "--set", "train.warmup_steps=5"};
  std::vector<std::string> words{"train", example("language_model"), "--steps", "60", "--out", folder.path().string()};
  words.insert(words.end(), small.begin(), small.end());
  EXPECT_EQ(cli(words).exit, 0);
  const std::string weights = (folder / "weights.safetensors").string();
  const auto write = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"generate", example("language_model"), "--weights", weights};
    all.insert(all.end(), more.begin(), more.end());
    return cli(all);
  };
  // Beyond the model's context of 64, the likeliest: after "line" always a space.
  const Outcome o = write({"--prompt", "line 1\nlin", "--length", "80", "--temperature", "0"});
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, StartsWith("line 1\nline "));
  EXPECT_EQ(o.out.size(), 10u + 80 + 1);
  EXPECT_EQ(write({"--length", "50", "--seed", "3"}).out, write({"--length", "50", "--seed", "3"}).out);
  EXPECT_NE(write({"--length", "50", "--seed", "3"}).out, write({"--length", "50", "--seed", "4"}).out);
  const Outcome refused = write({"--prompt", "Zebra"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, StartsWith("HW-C001 at --prompt: the text of the data set has no \"Z\"."));
  EXPECT_EQ(cli({"generate", example("sine")}).exit, 2);
}

TEST(Examples, AutoencoderLearns) {
  const MadeData data;
  const auto [first, last] = ends(losses("autoencoder", {"--steps", "60", "--set", "batch.batch_size=16"}));
  EXPECT_LT(last, first / 2);
}

}  // namespace
}  // namespace hw
