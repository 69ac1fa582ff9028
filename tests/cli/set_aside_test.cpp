// Results of another run that cannot be set aside are not written over, and it is reported.
#include <gmock/gmock.h>

#include <cstdlib>

#include "engine/io/checkpoint/checkpoint_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using ::testing::HasSubstr;

/// halfwire-cli where a file of this name cannot be renamed.
test::Outcome cli_that_cannot_rename(const char* name, const std::vector<std::string>& args) {
  ::setenv("LD_PRELOAD", HALFWIRE_FAILING_RENAME, 1);
  ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 0);
  ::setenv("HALFWIRE_FAILS_TO_RENAME", name, 1);
  test::Outcome outcome = cli(args);
  ::unsetenv("LD_PRELOAD");
  ::unsetenv("HALFWIRE_FAILS_TO_RENAME");
  return outcome;
}

class CliSetAside : public testing::Test {
 protected:
  /// log p, made smaller by plain SGD from p = 1 on: at a rate of 0.4 the third step makes NaN.
  std::vector<std::string> train(const std::string& rate) {
    test::write_bytes(folder_ / "g.halfwire", R"({"halfwire": 1, "nodes": [
      {"id": "p", "type": "parameter", "params": {"shape": [1], "init": "constant", "scale": 1.0}},
      {"id": "log", "type": "log"}, {"id": "mean", "type": "mean"},
      {"id": "train", "type": "train", "params": {"optimiser": "sgd", "schedule": "constant", "learning_rate": )" +
                                                  rate +
                                                  R"(, "steps": 5}}],
      "links": [["p.y", "log.x"], ["log.y", "mean.x"], ["mean.y", "train.loss"]]})");
    return {"train", (folder_ / "g.halfwire").string(), "--out", out_.string(), "--overwrite"};
  }
  std::string left(const std::string& name) const { return test::read_bytes(out_ / name); }

  const test::TempFolder folder_;
  const std::filesystem::path out_ = folder_ / "out";
};

TEST_F(CliSetAside, WeightsStayAfterARunThatFailed) {
  ASSERT_EQ(cli(train("0.001")).exit, 0);
  const std::string weights = left("weights.safetensors");
  const auto o = cli_that_cannot_rename("/weights.safetensors", train("0.4"));
  EXPECT_EQ(o.exit, 1) << o.err;
  EXPECT_THAT(o.err, HasSubstr("HW-R003"));
  EXPECT_THAT(o.err, HasSubstr("HW-F002 at " + (out_ / "weights.safetensors").string()));
  EXPECT_THAT(o.err, HasSubstr("cannot be set aside"));
  EXPECT_EQ(left("weights.safetensors"), weights);
  EXPECT_THAT(left("report.json"), HasSubstr("cannot be set aside"));
  // Where it can be renamed, the failed run's last sound weights take its place.
  EXPECT_EQ(cli(train("0.4")).exit, 1);
  EXPECT_EQ(left("weights.previous.safetensors"), weights);
  EXPECT_NE(left("weights.safetensors"), weights);
}

TEST_F(CliSetAside, ARunThatEndedIsKeptElsewhere) {
  auto words = train("0.001");
  ASSERT_EQ(cli(words).exit, 0);
  words.pop_back();  // --overwrite
  const std::string before = left("weights.safetensors");
  const auto o = cli_that_cannot_rename("/weights.safetensors", words);
  EXPECT_EQ(o.exit, 3) << o.err;
  EXPECT_THAT(o.err, HasSubstr("cannot be set aside"));
  EXPECT_THAT(o.err, HasSubstr("the results of this run are in " + (out_ / "run-1").string()));
  EXPECT_EQ(left("weights.safetensors"), before);
  EXPECT_EQ(left("run-1/weights.safetensors"), before) << "the same graph learns the same";
  EXPECT_FALSE(left("run-1/report.json").empty());
}

/// Weights beside a graph that is written would be taken for its own.
TEST_F(CliSetAside, OtherWeightsBesideAGraphThatIsWrittenAreKept) {
  const std::string graph = train("0.001")[1], out = (folder_ / "changed.halfwire").string();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"what-if", graph, "--nodes", "log", "--dtype", "bf16", "--steps", "1"},
                                             {"validate", graph, "--fix", "unify=bf16"}}) {
    test::write_bytes(folder_ / "changed.safetensors", "of another graph");
    std::vector<std::string> all = words;
    all.insert(all.end(), {"-o", out});
    const auto o = cli(all);
    EXPECT_EQ(o.exit, 0) << words[0] << ": " << o.err;
    EXPECT_THAT(o.err, HasSubstr("are kept as changed.previous")) << words[0];
    EXPECT_FALSE(std::filesystem::exists(folder_ / "changed.safetensors")) << words[0];
  }
  EXPECT_EQ(test::read_bytes(folder_ / "changed.previous.safetensors"), "of another graph");
  EXPECT_EQ(test::read_bytes(folder_ / "changed.previous-2.safetensors"), "of another graph");
}

TEST_F(CliSetAside, TheOptimisersStateStaysAfterARunThatCannotMoveIt) {
  auto words = train("0.001");
  words.push_back("--keep-optimiser");
  ASSERT_EQ(cli(words).exit, 0);
  const std::string optimiser = optimiser_file("weights.safetensors").string(), before = left(optimiser);
  const auto o = cli_that_cannot_rename(optimiser.c_str(), words);
  EXPECT_EQ(o.exit, 3) << o.err;
  EXPECT_THAT(o.err, HasSubstr("HW-F002 at " + (out_ / optimiser).string()));
  EXPECT_EQ(left(optimiser), before);
}

}  // namespace
}  // namespace hw
