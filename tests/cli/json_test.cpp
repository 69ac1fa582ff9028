// --json: every command has it, and its stdout is one JSON value then.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/made_data.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::example;
using test::Outcome;
using test::TempFolder;
using Words = std::vector<std::string>;

/// A call on something small, and names that its answer has; of a list, its first entry.
struct Call {
  Words words = {};
  std::vector<std::string> names = {};
};

/// A linear layer between an Input and an Output: what ONNX has operators for.
std::string layer(const TempFolder& folder) {
  test::write_bytes(folder / "layer.halfwire", R"({"halfwire": 1, "nodes": [
    {"id": "x", "type": "input", "params": {"shape": [4, 3]}},
    {"id": "linear", "type": "linear", "params": {"out_features": 2}}, {"id": "y", "type": "output"}],
    "links": [["x.y", "linear.x"], ["linear.y", "y.x"]]})");
  return (folder / "layer.halfwire").string();
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::map<std::string, Call> calls(const TempFolder& folder) {
  const std::string sine = example("sine"), graph = layer(folder);
  const auto file = [&](const char* name) { return (folder / name).string(); };
  const auto texture = [](const Words& more) { return with(test::small(Words{test::kExample}), more); };
  const Words quick{sine, "--steps", "1", "--samples", "16"};
  return {
      {"nodes", {{}, {"id"}}},
      {"blocks", {{}, {"key"}}},
      {"devices", {{}, {"id", "available"}}},
      {"dtypes", {{}, {"dtype", "max"}}},
      {"matrix", {{"linear"}, {"cells"}}},
      {"gradcheck", {{sine, "--samples", "4"}, {"passed", "loss"}}},
      {"jacobian", {{sine, "--node", "mlp"}, {"inputs", "blocks"}}},
      {"validate", {{sine}, {"errors", "parameters"}}},
      {"diff", {{sine, sine}, {"same"}}},
      {"train",
       {{sine, "--steps", "2", "--out", file("out"), "--instruments"},
        {"steps", "seconds", "final_loss", "mean_loss", "psnr", "errors", "files"}}},
      {"compare-runs", {{sine, "--steps", "1", "--out", file("runs")}, {"runs", "files"}}},
      {"what-if", {{sine, "--nodes", "mlp", "--dtype", "f16", "--steps", "1"}, {"base", "changed"}}},
      {"plan-precision", {{sine, "--budget", "loss=50%", "--steps", "2", "--probe-steps", "1"}, {"found", "changes"}}},
      {"run", {{sine, "--output", "mlp.y", "--output", "sin.y=" + file("y.npy")}, {"outputs", "seed"}}},
      {"generate", {with(test::small("language_model"), {"--length", "3"}), {"prompt", "text", "tokens"}}},
      {"inspect", {{sine, "--node", "mlp", "--node", "x", "--grad", "--npy", file("npy")}, {"nodes"}}},
      {"bench", {{sine, "--train", "--runs", "2"}, {"median_ms", "samples_per_second", "floor_ms", "nodes"}}},
      {"xray", {{sine}, {"values"}}},
      {"first-bad", {{sine, "--steps", "1"}, {"steps", "first_bad_value"}}},
      {"parity", {quick, {"agrees", "losses"}}},
      {"determinism", {with(quick, {"--threads", "1,2"}), {"deterministic", "threads"}}},
      {"bake",
       {texture({"--size", "64", "-o", file("duck.glb")}),
        {"files", "textures", "width", "covered_texels", "seconds"}}},
      {"render", {texture({"--size", "64x64", "--compare", "-o", file("duck.png")}), {"files", "width", "psnr"}}},
      {"mesh-info", {{"asset:OBJ/box.obj"}, {"triangles"}}},
      {"summary", {{sine}, {"parameters", "rows"}}},
      {"rewrite", {{sine}, {"rules"}}},
      {"export",
       {{graph, "-o", file("case/model.onnx")},
        {"files", "opset", "operators", "outputs", "fixed", "functions", "inlined"}}},
      {"import", {{file("case/model.onnx"), "-o", file("imported.halfwire")}, {"graph", "missing"}}},
      {"onnx-test", {{folder.path().string()}, {"passed", "cases"}}},
      {"map-weights", {{sine, file("out/weights.safetensors")}, {"parameters", "names"}}},
  };
}

/// What the command says with --json.
json answer(const std::string& name, const Call& call) {
  const Outcome o = cli(with(with({name}, call.words), {"--json"}));
  EXPECT_EQ(o.exit, 0) << o.err;
  json j = json::parse(o.out, nullptr, false);
  EXPECT_TRUE(j.is_object() || j.is_array()) << o.out;
  return j;
}

TEST(Json, EveryCommandAnswersInIt) {
#if !HALFWIRE_HAS_VIEWPORT
  GTEST_SKIP() << "render draws with Vulkan";
#endif
  const test::MadeData data;
  const TempFolder folder;
  std::filesystem::create_directory(folder / "case");
  std::map<std::string, Call> all = calls(folder);
  std::set<std::string> known;
  for (const auto& [name, call] : all) known.insert(name);
  EXPECT_EQ(known, test::listed_commands());
  answer("train", all["train"]);  // what others read
  for (const auto& [name, call] : all) {
    SCOPED_TRACE(name);
    const json j = answer(name, call);
    const json& first = j.is_array() && !j.empty() ? j.front() : j;
    for (const std::string& wanted : call.names) EXPECT_TRUE(first.contains(wanted)) << wanted << "\n" << j.dump(2);
  }
}

TEST(Json, TensorsSayWhatTheyHold) {
  const TempFolder folder;
  const json j = answer("run", {{layer(folder), "--output", "linear.y=" + (folder / "y.npy").string()}});
  const json& y = j["outputs"][0];
  EXPECT_EQ(y["node"], "linear");
  EXPECT_EQ(y["dtype"], "f32");
  EXPECT_EQ(y["shape"], json({4, 2}));
  EXPECT_EQ(y["count"], 8);
  EXPECT_LE(y["min"], y["mean"]);
  EXPECT_GT(y["std"], 0);
  EXPECT_EQ(y["components"].size(), 2u);
  int64_t counted = 0;
  for (const json& n : y["histogram"]["counts"]) counted += n.get<int64_t>();
  EXPECT_EQ(counted, 8);
  EXPECT_TRUE(std::filesystem::exists(y["file"].get<std::string>()));
}

TEST(Json, OfARunThatFailedSaysWhy) {
  const TempFolder folder;
  // A derivative that is infinite at 0.
  test::write_bytes(folder / "root.halfwire", R"({"halfwire": 1, "nodes": [
    {"id": "p", "type": "parameter", "params": {"shape": [4], "init": "constant", "scale": 0.0}},
    {"id": "root", "type": "sqrt"}, {"id": "mean", "type": "mean"}, {"id": "train", "type": "train"}],
    "links": [["p.y", "root.x"], ["root.y", "mean.x"], ["mean.y", "train.loss"]]})");
  const Outcome o = cli({"train", (folder / "root.halfwire").string(), "--out", (folder / "out").string(),
                         "--halt-on-nonfinite", "--json"});
  EXPECT_EQ(o.exit, 1);
  const json j = json::parse(o.out, nullptr, false);
  ASSERT_TRUE(j.is_object()) << o.out;
  EXPECT_EQ(j["errors"][0]["code"], "HW-R003");
}

TEST(Json, ErrorsAreOnStderrAndOnStdoutAsJson) {
  const TempFolder folder;
  const std::string none = (folder / "none.halfwire").string();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"run", none, "--output", "mlp.y"},
                                             {"gradcheck", none},
                                             {"plan-precision", none, "--budget", "loss=1%"},
                                             {"validate", none}}) {
    std::vector<std::string> asked = words;
    asked.emplace_back("--json");
    const Outcome o = cli(asked);
    EXPECT_EQ(o.exit, 3);
    EXPECT_THAT(o.err, testing::HasSubstr("HW-F001")) << words.front();
    const json j = json::parse(o.out, nullptr, false);
    ASSERT_TRUE(j.is_object()) << words.front() << ": " << o.out;
    EXPECT_EQ(j["error"]["code"], "HW-F001");
    EXPECT_EQ(cli(words).out, "") << "without --json";
  }
}

}  // namespace
}  // namespace hw
