// Weights beside a graph are what commands begin with, those that train too; what is not given is said.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/io/tensor/npy.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::Outcome;
using test::TempFolder;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

constexpr float kMask = -3.4028234663852886e38f;

/// x [1, 2] → linear without bias → + mask → mean square. The mask is not trained.
std::string masked(const TempFolder& folder, const std::string& name) {
  const std::string file = (folder / (name + ".halfwire")).string();
  test::write_bytes(file, R"({"halfwire": 1, "nodes": [
    {"id": "x", "type": "input", "params": {"shape": [1, 2], "example": "ones"}},
    {"id": "layer", "type": "linear", "params": {"out_features": 2, "bias": false}},
    {"id": "mask", "type": "parameter", "params": {"shape": [2], "trainable": false}},
    {"id": "sum", "type": "add"}, {"id": "p", "type": "softmax", "params": {"axis": 1}},
    {"id": "square", "type": "mul"}, {"id": "mean", "type": "mean"},
    {"id": "train", "type": "train", "params": {"steps": 1, "learning_rate": 1e-30}}],
    "links": [["x.y", "layer.x"], ["layer.y", "sum.a"], ["mask.y", "sum.b"], ["sum.y", "p.x"], ["p.y", "square.a"],
              ["p.y", "square.b"], ["square.y", "mean.x"], ["mean.y", "train.loss"]]})");
  return file;
}

std::map<std::string, Tensor> weights_of(const std::vector<float>& layer) {
  return {{"layer.weight", Tensor::from_f32(DType::f32, {2, 2}, layer)},
          {"mask.value", Tensor::from_f32(DType::f32, {2}, std::vector<float>{0, kMask})}};
}

/// Their loss is (1² + 0²) / 2, whatever the layer makes.
struct Fixture {
  TempFolder folder;
  std::string graph = masked(folder, "g");
  Fixture() { EXPECT_TRUE(save_weights({weights_of({1, 2, 3, 4}), {}}, folder / "g.safetensors")); }
};

TEST(CliWeightsBeside, TrainingBeginsWithThem) {
  const Fixture f;
  const std::string out = (f.folder / "out").string();
  const Outcome o = cli({"train", f.graph, "--out", out, "--json"});
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.err,
              HasSubstr("note: begins with the weights beside the graph, " + f.graph.substr(0, f.graph.size() - 9)));
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(o.out)["final_loss"].get<double>(), 0.5);
  const auto learnt = read_weights(f.folder / "out/weights.safetensors");
  ASSERT_TRUE(learnt) << learnt.error().text();
  EXPECT_EQ(learnt->tensors.at("mask.value").to_f64()[1], kMask) << "it is not trained";
  EXPECT_EQ(learnt->tensors.at("layer.weight").to_f64(), (std::vector<double>{1, 2, 3, 4}));

  const Outcome none = cli({"train", f.graph, "--out", out, "--weights", "none"});
  ASSERT_EQ(none.exit, 0) << none.err;
  EXPECT_THAT(none.err, HasSubstr("note: no weights are given; mask begins with initial ones and is not trained"));
  EXPECT_NE(read_weights(f.folder / "out/weights.safetensors")->tensors.at("mask.value").to_f64()[1], kMask);
}

TEST(CliWeightsBeside, SoDoTheChecksThatTrain) {
  const Fixture f;
  const std::string compare = (f.folder / "compare").string();
  const Outcome what_if = cli({"what-if", f.graph, "--nodes", "layer", "--dtype", "bf16", "--steps", "2", "--json"});
  ASSERT_EQ(what_if.exit, 0) << what_if.err;
  EXPECT_THAT(what_if.err, HasSubstr("begins with the weights beside the graph"));
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(what_if.out)["base"]["loss"].get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(what_if.out)["changed"]["loss"].get<double>(), 0.5);
  const Outcome plan = cli({"plan-precision", f.graph, "--budget", "error=1", "--steps", "2", "--json"});
  ASSERT_EQ(plan.exit, 0) << plan.err;
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(plan.out)["full"]["loss"].get<double>(), 0.5);
  const Outcome runs = cli({"compare-runs", f.graph, "--out", compare, "--json"});
  ASSERT_EQ(runs.exit, 0) << runs.err;
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(runs.out)["runs"][0]["final_loss"].get<double>(), 0.5);
  const Outcome fresh = cli({"compare-runs", f.graph, "--out", compare, "--weights", "none", "--json"});
  ASSERT_EQ(fresh.exit, 0) << fresh.err;
  EXPECT_NE(nlohmann::json::parse(fresh.out)["runs"][0]["final_loss"].get<double>(), 0.5);
  const Outcome seen = cli({"inspect", f.graph, "--node", "mask", "--json"});
  ASSERT_EQ(seen.exit, 0) << seen.err;
  EXPECT_THAT(seen.out, HasSubstr("e+38"));
  EXPECT_THAT(cli({"first-bad", f.graph}).err, HasSubstr("begins with the weights beside the graph"));
}

TEST(CliWeightsBeside, ThoseOfAnotherGraphAreRefusedWithAWayOut) {
  const Fixture f;
  ASSERT_TRUE(save_weights({{{"layer.weight", Tensor::from_f32(DType::f32, {1}, std::vector<float>{1})}}, {}},
                           f.folder / "g.safetensors"));
  for (const Words& words : std::vector<Words>{{"train", f.graph, "--out", (f.folder / "out").string()},
                                               {"what-if", f.graph, "--nodes", "layer", "--dtype", "bf16"},
                                               {"gradcheck", f.graph}}) {
    const Outcome o = cli(words);
    EXPECT_NE(o.exit, 0) << words.front();
    EXPECT_THAT(o.err, HasSubstr("HW-F005")) << words.front();
    EXPECT_THAT(o.err, HasSubstr("--weights none")) << words.front();
  }
}

TEST(CliWeightsBeside, WhatAnotherFileLacksIsNotDrawn) {
  const Fixture f;
  const std::filesystem::path other = f.folder / "other.safetensors";
  ASSERT_TRUE(save_weights(
      {{{"layer.weight", Tensor::from_f32(DType::f32, {2, 2}, std::vector<float>{5, 6, 7, 8})}}, {}}, other));
  const Outcome o = cli({"train", f.graph, "--out", (f.folder / "out").string(), "--weights", other.string()});
  ASSERT_EQ(o.exit, 0) << o.err;
  const auto learnt = read_weights(f.folder / "out/weights.safetensors");
  ASSERT_TRUE(learnt) << learnt.error().text();
  EXPECT_EQ(learnt->tensors.at("mask.value").to_f64()[1], kMask) << "a mask that no other file has";
  EXPECT_EQ(learnt->tensors.at("layer.weight").to_f64()[0], 5);
}

TEST(CliWeightsBeside, AMaskOfInfIsMeant) {
  const Fixture f;
  auto weights = weights_of({1, 2, 3, 4});
  weights["mask.value"].as<float>()[1] = -std::numeric_limits<float>::infinity();
  ASSERT_TRUE(save_weights({weights, {}}, f.folder / "g.safetensors"));
  const Outcome train = cli({"train", f.graph, "--out", (f.folder / "out").string(), "--halt-on-nonfinite"});
  EXPECT_EQ(train.exit, 0) << train.err;
  const Outcome first_bad = cli({"first-bad", f.graph});
  EXPECT_EQ(first_bad.exit, 0) << first_bad.err;
  weights["mask.value"].as<float>()[1] = std::nanf("");
  ASSERT_TRUE(save_weights({weights, {}}, f.folder / "g.safetensors"));
  EXPECT_EQ(cli({"first-bad", f.graph}).exit, 1) << "NaN never is";
}

TEST(CliWeightsBeside, RunSaysWhatIsNotGiven) {
  const Fixture f;
  const std::string x = (f.folder / "x.npy").string();
  ASSERT_TRUE(save_npy(Tensor::from_f32(DType::f32, {1, 2}, std::vector<float>{1, 2}), x));
  const Outcome o = cli({"run", f.graph, "--output", "p.y"});
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("example data stands in for what is not given: x (ones)"));
  const Outcome given = cli({"run", f.graph, "--input", "x=" + x, "--output", "p.y"});
  ASSERT_EQ(given.exit, 0) << given.err;
  EXPECT_THAT(given.err, Not(HasSubstr("example data")));
}

TEST(CliWeightsBeside, RunNamesTheOpThatMadeNaN) {
  const TempFolder folder;
  const std::string graph = (folder / "g.halfwire").string(), ids = (folder / "ids.npy").string();
  test::write_bytes(graph, R"({"halfwire": 1, "nodes": [
    {"id": "ids", "type": "input", "params": {"axes": "", "dtype": "i64", "shape": [2], "symbolic": ""}},
    {"id": "table", "type": "parameter", "params": {"shape": [10, 3]}}, {"id": "rows", "type": "gather"},
    {"id": "log", "type": "log"}, {"id": "v", "type": "constant", "params": {"value": -1.0, "shape": [2]}}],
    "links": [["table.y", "rows.x"], ["ids.y", "rows.index"], ["v.y", "log.x"]]})");
  ASSERT_TRUE(save_npy(Tensor::from_f64(DType::i64, {2}, {{3, 30}}), ids));
  const Outcome beyond = cli({"run", graph, "--input", "ids=" + ids, "--output", "rows.y"});
  EXPECT_EQ(beyond.exit, 1);
  EXPECT_THAT(beyond.err, HasSubstr("HW-R003 at rows"));
  EXPECT_THAT(beyond.err, HasSubstr("An index lies outside the axis"));
  const Outcome log = cli({"run", graph, "--output", "log.y"});
  EXPECT_EQ(log.exit, 0) << "NaN may be meant";
  EXPECT_THAT(log.err, HasSubstr("warning: HW-R003 at log"));
}

}  // namespace
}  // namespace hw
