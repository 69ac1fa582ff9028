// What a training leaves from the terminal is sound, whole and one run's: what an update wrote is judged, the newest
// sound checkpoint stays, a folder has one writer.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/core/codes.h"
#include "engine/io/checkpoint/checkpoint_writer.h"
#include "engine/io/file/folder_lock.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::kExample;
using test::small;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

/// parameter (four zeros) → sqrt → mean → train: the loss is 0, its gradient infinite.
std::string root_of_zero(const test::TempFolder& folder) {
  const std::string file = (folder / "root.halfwire").string();
  test::write_bytes(file, R"({"halfwire": 1, "nodes": [
    {"id": "theta", "type": "parameter", "params": {"shape": [4], "init": "zeros"}},
    {"id": "root", "type": "sqrt"}, {"id": "mean", "type": "mean"}, {"id": "train", "type": "train"}],
    "links": [["theta.y", "root.x"], ["root.y", "mean.x"], ["mean.y", "train.loss"]]})");
  return file;
}

/// Replaces one element of a state by NaN, and says of the checkpoint what a run would say.
void spoil(const fs::path& file) {
  auto checkpoint = read_checkpoint(file);
  ASSERT_TRUE(checkpoint) << checkpoint.error().text();
  Tensor& state = checkpoint->states.at("mlp.layer_0");
  std::vector<double> values = state.to_f64();
  values[1] = std::numeric_limits<double>::quiet_NaN();
  state = Tensor::from_f64(state.dtype(), state.dims(), values);
  ASSERT_TRUE(save_checkpoint(*checkpoint, file));
}

TEST(CliRunStates, TheLastUpdateIsJudgedToo) {
  const test::TempFolder folder;
  const std::string graph = root_of_zero(folder), out = (folder / "out").string();
  for (const char* steps : {"1", "3"}) {
    const auto o = cli({"train", graph, "--steps", steps, "--checkpoint-every", "1", "--out", out});
    EXPECT_EQ(o.exit, 1);
    EXPECT_THAT(o.err, HasSubstr("HW-R003 at theta.value: the update of step 1 made 4 of its elements Inf or NaN"));
    EXPECT_FALSE(fs::exists(out + "/weights.safetensors"));
    EXPECT_TRUE(find_checkpoints(out).empty()) << "nothing sound was there to be kept";
  }
  const auto whole = cli({"train", graph, "--steps", "1", "--out", out, "--set", "theta.init=constant"});
  EXPECT_EQ(whole.exit, 0) << whole.err;
}

TEST(CliRunStates, TheNewestSoundCheckpointStaysAndIsResumed) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  ASSERT_EQ(cli(small({"train", kExample, "--steps", "6", "--out", out, "--checkpoint-every", "2"})).exit, 0);
  const std::string whole = test::read_bytes(out + "/weights.safetensors");
  EXPECT_TRUE(is_sound(fs::path(out) / checkpoint_name(4)));
  spoil(fs::path(out) / checkpoint_name(6));
  EXPECT_FALSE(is_sound(fs::path(out) / checkpoint_name(6)));
  const auto alone = cli(small({"train", kExample, "--resume", out + "/" + checkpoint_name(6), "--steps", "8"}));
  EXPECT_EQ(alone.exit, 1);
  EXPECT_THAT(alone.err, HasSubstr("not sound: mlp.layer_0"));
  const auto o = cli(small({"train", kExample, "--resume", out}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("not sound: mlp.layer_0"));
  EXPECT_THAT(o.err, HasSubstr("from step 4, the newest sound checkpoint"));
  EXPECT_TRUE(fs::exists(out + "/" + checkpoint_name(6) + ".unsound"));
  EXPECT_EQ(test::read_bytes(out + "/weights.safetensors"), whole);
}

TEST(CliRunStates, FlippedBytesAreADamagedFile) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  ASSERT_EQ(cli(small({"train", kExample, "--steps", "4", "--out", out, "--checkpoint-every", "2"})).exit, 0);
  const std::string whole = test::read_bytes(out + "/weights.safetensors");
  const fs::path last = fs::path(out) / checkpoint_name(4);
  const std::string bytes = test::read_bytes(last);
  for (const size_t at : {bytes.size() - 3, bytes.size() / 2}) {  // among the tensors' bytes
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    test::write_bytes(last, damaged);
    const auto read = read_checkpoint(last);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, codes::file_syntax);
    EXPECT_THAT(read.error().reason, HasSubstr("damaged"));
    EXPECT_THAT(read.error().text(), Not(HasSubstr("learning rate")));
  }
  const auto o = cli(small({"train", kExample, "--resume", out}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("the file is damaged"));
  EXPECT_TRUE(fs::exists(last.string() + ".damaged"));
  EXPECT_EQ(test::read_bytes(out + "/weights.safetensors"), whole);
}

TEST(CliRunStates, AFolderHasOneWriter) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  test::Process first(small({"train", kExample, "--steps", "1000000000", "--checkpoint-every", "5", "--out", out}));
  for (int i = 0; i < 3000 && find_checkpoints(out).empty(); ++i) ::usleep(10'000);
  ASSERT_FALSE(find_checkpoints(out).empty());
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--out", out}, {"--resume", out}}) {
    std::vector<std::string> args{"train", kExample, "--steps", "3"};
    args.insert(args.end(), more.begin(), more.end());
    const auto second = cli(small(args));
    EXPECT_EQ(second.exit, 3);
    EXPECT_THAT(second.err, HasSubstr("HW-F002"));
    EXPECT_THAT(second.err, HasSubstr("process " + std::to_string(first.pid()) + " on "));
  }
  ::kill(first.pid(), SIGTERM);
  const auto o = first.wait();
  EXPECT_EQ(o.exit, 128 + SIGTERM) << o.err;
  const auto newest = read_checkpoint(find_checkpoints(out).back().file);
  ASSERT_TRUE(newest) << newest.error().text();
  const json report = json::parse(test::read_bytes(out + "/report.json"));
  EXPECT_EQ(report["interrupted"], true);
  EXPECT_EQ(report["steps"].get<uint64_t>(), newest->step) << "the last step is kept, too";
  EXPECT_FALSE(fs::exists(out + "/.halfwire.lock"));
  const std::string more = std::to_string(newest->step + 2);
  EXPECT_EQ(cli(small({"train", kExample, "--steps", more, "--resume", out})).exit, 0) << "it is free again";
}

TEST(CliRunStates, TheLossFileHasWhatWasKnownOfEachStep) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  const auto o =
      cli(small({"train", kExample, "--steps", "6", "--out", out, "--set", "train.loss_scaling=dynamic", "--set",
                 "train.loss_scale=1e30", "--set", "train.schedule=constant", "--set", "train.learning_rate=0.25"}));
  ASSERT_EQ(o.exit, 0) << o.err;
  const std::string csv = test::read_bytes(out + "/loss.csv");
  EXPECT_THAT(csv, testing::StartsWith("step,loss,learning_rate,loss_scale,skipped,seconds\n1,"));
  // The encoder's gradients are f16: the first scales are too large.
  EXPECT_THAT(csv, HasSubstr(",0.25,5e+29,1,"));
  const json report = json::parse(test::read_bytes(out + "/report.json"));
  EXPECT_EQ(report["skipped_steps"], 6);
  EXPECT_DOUBLE_EQ(report["learning_rate"].get<double>(), 0.25);
  EXPECT_GE(report["wall_seconds"].get<double>(), report["seconds"].get<double>());
  EXPECT_THAT(o.out, HasSubstr("6 steps skipped"));
}

/// The example's weights with a layer more, one less and one of another size.
std::string foreign_weights(const test::TempFolder& folder) {
  const std::string out = (folder / "trained").string(), file = (folder / "foreign.safetensors").string();
  EXPECT_EQ(cli(small({"train", kExample, "--steps", "1", "--out", out})).exit, 0);
  auto weights = read_weights(out + "/weights.safetensors");
  EXPECT_TRUE(weights);
  weights->tensors.erase("mlp.layer_1");
  weights->tensors["mlp.layer_0"] = Tensor::zeros(DType::f32, {3, 3});
  weights->tensors["net.weight"] = Tensor::zeros(DType::f32, {3});
  weights->metadata.erase(kChecksum);
  EXPECT_TRUE(save_weights(*weights, file));
  return file;
}

TEST(CliRunStates, ForeignWeightsAreRefusedByEveryCommandUntilWhatFitsIsAskedFor) {
  const test::TempFolder folder;
  const std::string file = foreign_weights(folder), out = (folder / "out").string();
  const std::vector<std::vector<std::string>> commands{{"train", kExample, "--steps", "1", "--out", out},
                                                       {"inspect", kExample, "--node", "mlp", "--steps", "1"},
                                                       {"run", kExample, "--output", "mlp.y"},
                                                       {"jacobian", kExample, "--node", "sigmoid"},
                                                       {"gradcheck", kExample, "--node", "mlp", "--samples", "8"},
                                                       {"xray", kExample},
                                                       {"parity", kExample, "--a", "cpu", "--b", "cpu", "--steps", "1"},
                                                       {"determinism", kExample, "--steps", "1"}};
  for (std::vector<std::string> args : commands) {
    SCOPED_TRACE(args[0]);
    args.insert(args.end(), {"--weights", file});
    const auto refused = cli(small(args));
    EXPECT_EQ(refused.exit, 3);
    EXPECT_THAT(refused.err, HasSubstr("HW-F005 at mlp.layer_"));
    EXPECT_THAT(refused.err, HasSubstr("missing: mlp.layer_1"));
    EXPECT_THAT(refused.err, HasSubstr("superfluous: net.weight"));
    EXPECT_THAT(refused.err, HasSubstr("of other sizes: mlp.layer_0"));
    args.emplace_back("--partial-weights");
    const auto taken = cli(small(args));
    EXPECT_EQ(taken.exit, 0) << taken.err;
    for (const char* name : {"mlp.layer_0", "mlp.layer_1", "net.weight"})
      EXPECT_THAT(taken.err, HasSubstr(std::string(name) + " is not taken"));
  }
  const auto checked = cli({"validate", kExample, "--weights", file});
  EXPECT_EQ(checked.exit, 1) << checked.out;
  for (const char* name : {"mlp.layer_0", "mlp.layer_1", "net.weight"})
    EXPECT_THAT(checked.err, HasSubstr("HW-F005 at " + std::string(name)));
}

TEST(CliRunStates, TheOptimisersStateBesideTheWeightsGoesOnWithTheSameBits) {
  const test::TempFolder folder;
  const std::string whole = (folder / "whole").string(), part = (folder / "part").string();
  const auto train = [&](const std::string& out, std::vector<std::string> more) {
    more.insert(more.begin(), {"train", kExample, "--out", out, "--set", "train.schedule=constant"});
    return cli(small(more));
  };
  ASSERT_EQ(train(whole, {"--steps", "12"}).exit, 0);
  const auto first = train(part, {"--steps", "8", "--keep-optimiser"});
  ASSERT_EQ(first.exit, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("weights.optimiser.safetensors ("));
  const auto noted = train((folder / "new").string(), {"--steps", "1", "--weights", part + "/weights.safetensors"});
  EXPECT_THAT(noted.err, HasSubstr("--resume " + part + "/weights.optimiser.safetensors"));
  const auto on = train(part, {"--steps", "12", "--resume", part + "/weights.optimiser.safetensors"});
  ASSERT_EQ(on.exit, 0) << on.err;
  EXPECT_EQ(test::read_bytes(part + "/weights.safetensors"), test::read_bytes(whole + "/weights.safetensors"));
  EXPECT_FALSE(fs::exists(part + "/weights.optimiser.safetensors")) << "it is of earlier weights";
  EXPECT_TRUE(fs::exists(part + "/weights.previous.optimiser.safetensors"));
}

TEST(CliRunStates, ResultsOfAnotherRunAreSetAsideAndTheirNamesSaid) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  const auto train = [&](const char* seed, std::vector<std::string> more) {
    more.insert(more.begin(), {"train", kExample, "--steps", "2", "--seed", seed, "--out", out});
    return cli(small(more));
  };
  const auto bytes = [&](const char* name) { return test::read_bytes(fs::path(out) / name); };
  ASSERT_EQ(train("1", {"--keep-optimiser", "--instruments"}).exit, 0);
  std::map<std::string, std::string> first;
  for (const auto& [name, aside] : {std::pair("weights.safetensors", "weights.previous.safetensors"),
                                    {"weights.optimiser.safetensors", "weights.previous.optimiser.safetensors"},
                                    {"loss.csv", "loss.previous.csv"},
                                    {"report.json", "report.previous.json"},
                                    {"gradients.csv", "gradients.previous.csv"}})
    first[aside] = bytes(name);
  const auto second = train("2", {});
  ASSERT_EQ(second.exit, 0) << second.err;
  for (const auto& [aside, text] : first) {
    EXPECT_THAT(second.err, HasSubstr(aside));
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(bytes(aside.c_str()), text) << aside;
  }
  EXPECT_FALSE(fs::exists(out + "/gradients.csv")) << "it is of the other run";
  const std::string weights = bytes("weights.safetensors");
  const auto third = train("3", {});
  EXPECT_THAT(third.err, HasSubstr("weights.previous-2.safetensors"));
  EXPECT_EQ(bytes("weights.previous-2.safetensors"), weights);
  EXPECT_EQ(bytes("weights.previous.safetensors"), first["weights.previous.safetensors"]);
  const auto fourth = train("4", {"--overwrite"});
  EXPECT_THAT(fourth.err, Not(HasSubstr("previous")));
  EXPECT_FALSE(fs::exists(out + "/weights.previous-3.safetensors"));
}

TEST(CliRunStates, TheOptimisersStateOfOtherWeightsIsNotOffered) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string(), other = (folder / "other").string();
  const std::string weights = "/weights.safetensors", states = "/weights.optimiser.safetensors";
  ASSERT_EQ(cli(small({"train", kExample, "--steps", "2", "--keep-optimiser", "--out", out})).exit, 0);
  ASSERT_EQ(cli(small({"train", kExample, "--steps", "3", "--out", other})).exit, 0);
  fs::copy_file(out + states, other + states);
  const auto noted = cli(small({"train", kExample, "--steps", "1", "--weights", other + weights, "--out", out}));
  ASSERT_EQ(noted.exit, 0) << noted.err;
  EXPECT_THAT(noted.err, Not(HasSubstr("--resume")));
}

}  // namespace
}  // namespace hw
