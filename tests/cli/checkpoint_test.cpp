// Checkpoints from the terminal: a process that is killed at any moment leaves the last checkpoint whole, and a resumed
// run ends with the bytes of one that was never stopped.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>

#include "engine/io/checkpoint/checkpoint_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::kExample;
using test::small;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

bool writes_now(const fs::path& folder) {
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().filename().string().starts_with(".checkpoint-")) return true;
  }
  return false;
}

TEST(CliCheckpoint, AResumedRunEndsWithTheSameBytes) {
  const test::TempFolder folder;
  const std::string whole = (folder / "whole").string(), part = (folder / "part").string();
  const std::vector<std::string> run{"train", kExample, "--steps", "40", "--seed", "7", "--set", "train.accumulate=2"};
  const auto with = [](std::vector<std::string> args, const std::vector<std::string>& more) {
    args.insert(args.end(), more.begin(), more.end());
    return small(args);
  };
  ASSERT_EQ(cli(with(run, {"--out", whole, "--checkpoint-every", "20", "--threads", "1"})).exit, 0);
  fs::create_directories(part);
  fs::copy_file(fs::path(whole) / checkpoint_name(20), fs::path(part) / checkpoint_name(20));
  const auto o = cli(small({"train", kExample, "--resume", part, "--set", "train.accumulate=2", "--threads", "2"}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("40 steps"));
  EXPECT_EQ(test::read_bytes(part + "/weights.safetensors"), test::read_bytes(whole + "/weights.safetensors"));
  EXPECT_EQ(test::without_times(test::read_bytes(part + "/loss.csv")),
            test::without_times(test::read_bytes(whole + "/loss.csv")));
  EXPECT_EQ(find_checkpoints(part).back().step, 40u) << "it goes on checkpointing as before";
  // A checkpoint is weights, too.
  const auto ran = cli(
      small({"run", kExample, "--output", "sigmoid.y", "--weights", (fs::path(part) / checkpoint_name(40)).string()}));
  EXPECT_EQ(ran.exit, 0) << ran.err;
}

TEST(CliCheckpoint, ADamagedCheckpointGivesWayToTheOneBefore) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  ASSERT_EQ(cli(small({"train", kExample, "--steps", "6", "--out", out, "--checkpoint-every", "2"})).exit, 0);
  const std::string whole = test::read_bytes(fs::path(out) / "weights.safetensors");
  const fs::path last = fs::path(out) / checkpoint_name(6);
  const std::string bytes = test::read_bytes(last);
  test::write_bytes(last, bytes.substr(0, bytes.size() / 2));
  const auto o = cli(small({"train", kExample, "--resume", out}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("is damaged"));
  EXPECT_THAT(o.err, HasSubstr("from step 4"));
  EXPECT_TRUE(fs::exists(last.string() + ".damaged"));
  EXPECT_EQ(test::read_bytes(fs::path(out) / "weights.safetensors"), whole);
}

TEST(CliCheckpoint, ARunThatWasKilledBeforeItsResultsWereWrittenIsFinished) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  ASSERT_EQ(cli(small({"train", kExample, "--steps", "6", "--out", out, "--checkpoint-every", "4"})).exit, 0);
  const std::vector<std::string> files{"weights.safetensors", "loss.csv", "report.json"};
  const auto bytes = [&](const std::string& file) {
    const std::string text = test::read_bytes(fs::path(out) / file);
    return file == "loss.csv" ? test::without_times(text) : text;
  };
  const std::string weights = bytes("weights.safetensors"), losses = bytes("loss.csv");
  // As far as a kill may let it come: none is written, the weights alone, all but the report.
  for (size_t there = 0; there < files.size(); ++there) {
    for (size_t k = there; k < files.size(); ++k) fs::remove(fs::path(out) / files[k]);
    const auto o = cli(small({"train", kExample, "--resume", out}));
    ASSERT_EQ(o.exit, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr("the run ended at step 6 without its results: they are written now"));
    EXPECT_THAT(o.out, HasSubstr("6 steps"));
    EXPECT_EQ(bytes("weights.safetensors"), weights);
    EXPECT_EQ(bytes("loss.csv"), losses);
    EXPECT_THAT(bytes("report.json"), HasSubstr("\"steps\": 6"));
    EXPECT_EQ(find_checkpoints(out).back().step, 6u) << "no step more";
  }
  const auto done = cli(small({"train", kExample, "--resume", out}));
  EXPECT_EQ(done.exit, 2) << "now it has its results";
  EXPECT_THAT(done.err, HasSubstr("already is at step 6 of 6"));
}

TEST(CliCheckpoint, WhatCannotBeResumed) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  ASSERT_EQ(
      cli(small({"train", kExample, "--steps", "4", "--seed", "7", "--out", out, "--checkpoint-every", "2"})).exit, 0);
  const auto expect = [&](std::vector<std::string> args, int exit, const char* code, const char* says) {
    args.insert(args.begin(), {"train", kExample});
    const auto o = cli(small(args));
    EXPECT_EQ(o.exit, exit) << o.err;
    EXPECT_THAT(o.err, HasSubstr(code));
    EXPECT_THAT(o.err, HasSubstr(says)) << o.err;
  };
  expect({"--resume", folder.path()}, 3, "HW-F001", "no checkpoint in this folder");
  expect({"--resume", out}, 2, "HW-C001", "already is at step 4 of 4");
  expect({"--resume", out, "--seed", "8", "--steps", "9"}, 2, "HW-C001", "made with seed 7");
  expect({"--resume", out + "/weights.safetensors"}, 3, "HW-F003", "begin anew from its weights, by --weights");
  expect({"--resume", out, "--steps", "9", "--set", "mlp.width=16"}, 3, "HW-F005", "mlp.layer_0");
  expect({"--out", out, "--checkpoint-every", "2"}, 3, "HW-F002", "another run");
  expect({"--resume", out + "/" + checkpoint_name(2), "--steps", "9"}, 3, "HW-F002", "at step 4");
  const auto note =
      cli(small({"train", kExample, "--resume", out, "--steps", "6", "--set", "train.learning_rate=0.001"}));
  EXPECT_EQ(note.exit, 0) << note.err;
  EXPECT_THAT(note.err, HasSubstr("note: The graph is not what it was"));
  EXPECT_THAT(note.err, HasSubstr("schedule ends at step 6 now, not at 4"));
  const auto constant =
      cli(small({"train", kExample, "--resume", out, "--steps", "8", "--set", "train.schedule=constant"}));
  EXPECT_EQ(constant.exit, 0) << constant.err;
  EXPECT_THAT(constant.err, Not(HasSubstr("schedule ends"))) << "a constant rate does not depend on the end";
}

TEST(CliCheckpoint, ResumingIntoAnotherFolderLeavesItsCheckpointsAlone) {
  const test::TempFolder folder;
  const std::string a = (folder / "a").string(), b = (folder / "b").string();
  for (const auto& [out, steps] : {std::pair(a, "6"), std::pair(b, "2")}) {
    const auto o = cli(small({"train", kExample, "--steps", steps, "--out", out, "--checkpoint-every", "1"}));
    ASSERT_EQ(o.exit, 0) << o.err;
  }
  const auto mixed = cli(small({"train", kExample, "--resume", a, "--out", b, "--steps", "9"}));
  EXPECT_EQ(mixed.exit, 3);
  EXPECT_THAT(mixed.err, AllOf(HasSubstr("HW-F002"), HasSubstr("another run")));
  const auto left = find_checkpoints(b);
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].step, 1u);
  EXPECT_EQ(left[1].step, 2u);
  const std::string c = (folder / "c").string();
  EXPECT_EQ(cli(small({"train", kExample, "--resume", a, "--out", c, "--steps", "9"})).exit, 0);
  EXPECT_EQ(find_checkpoints(a).size(), 2u);
  EXPECT_EQ(find_checkpoints(c).back().step, 9u);
}

TEST(CliCheckpoint, KillLeavesTheLastCheckpointWhole) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  constexpr int kKills = 24;
  std::mt19937 random(5);
  const std::vector<std::string> large{"--set", "sampler.points=256",     "--set", "encoder.log2_table=14",
                                       "--set", "train.schedule=constant"};
  const auto command = [&](std::vector<std::string> args) {
    args.insert(args.begin(), {"train", kExample});
    args.insert(args.end(), large.begin(), large.end());
    return args;
  };
  uint64_t newest = 0;
  int while_writing = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    std::vector<std::string> args{"--steps", "1000000", "--out", out, "--checkpoint-every", "1"};
    if (newest > 0) args.insert(args.end(), {"--resume", out});
    test::Process process(command(args));
    // Once it has written beyond where it began: after a random while, or as soon as a file is half written.
    for (int i = 0; i < 60'000 && (find_checkpoints(out).empty() || find_checkpoints(out).back().step <= newest); ++i)
      ::usleep(1000);
    ::usleep(std::uniform_int_distribution<useconds_t>(0, 30'000)(random));
    for (int i = 0; kill % 2 == 0 && i < 5000 && !writes_now(out); ++i) ::usleep(50);
    ::kill(process.pid(), SIGKILL);
    EXPECT_EQ(process.wait().exit, -1);
    while_writing += writes_now(out);
    const auto found = find_checkpoints(out);
    ASSERT_FALSE(found.empty());
    ASSERT_LE(found.size(), 3u);  // the third: killed before the oldest was removed
    for (const CheckpointPlace& place : found) {
      const auto read = read_checkpoint(place.file);
      ASSERT_TRUE(read) << read.error().text();
      ASSERT_EQ(read->step, place.step);
    }
    EXPECT_GT(found.back().step, newest);
    newest = found.back().step;
  }
  // Whether a kill hits a file being written is chance; NthCrash.keep_checkpoints hits every place of it.
  std::printf("%d kills, %d of them while a checkpoint was written; %llu steps\n", kKills, while_writing,
              static_cast<unsigned long long>(newest));
  const std::string end = std::to_string(newest + 5), whole = (folder / "whole").string();
  ASSERT_EQ(cli(command({"--resume", out, "--steps", end})).exit, 0);
  ASSERT_EQ(cli(command({"--steps", end, "--out", whole})).exit, 0);
  EXPECT_EQ(test::read_bytes(out + "/weights.safetensors"), test::read_bytes(whole + "/weights.safetensors"));
  EXPECT_EQ(test::without_times(test::read_bytes(out + "/loss.csv")),
            test::without_times(test::read_bytes(whole + "/loss.csv")));
}

}  // namespace
}  // namespace hw
