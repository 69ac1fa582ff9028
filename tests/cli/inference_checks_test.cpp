// Checks of training on a graph without a Train node: the mean square of its outputs stands in for a loss.
#include <gmock/gmock.h>

#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/npy.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::Outcome;
using test::TempFolder;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

/// x [4, 3] → linear → tanh → an Output, and one of whole numbers, which no loss is made of.
std::string inference(const TempFolder& folder) {
  const std::string file = (folder / "g.halfwire").string();
  test::write_bytes(file, R"({"halfwire": 1, "nodes": [
    {"id": "x", "type": "input", "params": {"shape": [4, 3]}},
    {"id": "layer", "type": "linear", "params": {"out_features": 2}},
    {"id": "act", "type": "tanh"}, {"id": "y", "type": "output"},
    {"id": "best", "type": "argmax", "params": {"axis": 1}}, {"id": "index", "type": "output"}],
    "links": [["x.y", "layer.x"], ["layer.y", "act.x"], ["act.y", "y.x"], ["act.y", "best.x"], ["best.y", "index.x"]]})");
  return file;
}

TEST(CliInferenceChecks, GradientsParityDeterminismAndTensorsWithoutATrainNode) {
  const TempFolder folder;
  const std::string graph = inference(folder);
  for (const Words& words : std::vector<Words>{{"gradcheck", graph},
                                               {"parity", graph, "--steps", "2"},
                                               {"determinism", graph, "--steps", "1", "--threads", "1,2"},
                                               {"inspect", graph, "--node", "layer", "--node", "act", "--grad"}}) {
    const Outcome o = cli(words);
    EXPECT_EQ(o.exit, 0) << words.front() << ": " << o.err;
    EXPECT_THAT(o.err, HasSubstr("stands in for a loss")) << words.front();
  }
  const Outcome two = cli({"inspect", graph, "--node", "layer", "--node", "act", "--seed", "3"});
  EXPECT_THAT(two.out, HasSubstr("layer at step 1"));
  EXPECT_THAT(two.out, HasSubstr("act at step 1"));
}

/// A graph in another precision is written as it was asked for, without what was added to run it.
TEST(CliInferenceChecks, WhatIsWrittenHasNeitherTheStandInNorTheInput) {
  const TempFolder folder;
  const std::string graph = inference(folder), x = (folder / "x.npy").string();
  ASSERT_TRUE(save_npy(Tensor::from_f32(DType::f32, {2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}), x));
  for (const Words& words : std::vector<Words>{{"what-if", graph, "--nodes", "layer,act", "--dtype", "bf16"},
                                               {"plan-precision", graph, "--budget", "error=1e-1", "--steps", "2"}}) {
    const std::string out = (folder / (words.front() + ".halfwire")).string();
    Words all = words;
    for (const std::string& more : {std::string("--input"), "x=" + x, std::string("-o"), out}) all.push_back(more);
    const Outcome o = cli(all);
    ASSERT_EQ(o.exit, 0) << words.front() << ": " << o.err;
    const auto before = read_graph(graph), after = read_graph(out);
    ASSERT_TRUE(before && after);
    EXPECT_EQ(after->find("x")->params.at("shape"), before->find("x")->params.at("shape")) << words.front();
    for (const auto& [id, node] : before->nodes()) EXPECT_TRUE(after->find(id)) << id;
    for (const auto& [id, node] : after->nodes())
      EXPECT_TRUE(before->find(id) || (node.type == "cast" && !after->links_from(id).empty())) << id;
    EXPECT_EQ(cli({"validate", out}).exit, 0) << words.front();
  }
  EXPECT_FALSE(*read_graph(folder / "what-if.halfwire") == *read_graph(graph)) << "layer computes in bf16";
}

TEST(CliInferenceChecks, InspectTakesTheInputsOfRun) {
  const TempFolder folder;
  const std::string graph = inference(folder), x = (folder / "x.npy").string(), y = (folder / "y.npy").string();
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(save_npy(Tensor::from_f32(DType::f32, {2, 3}, numbers), x));  // other rows than the example's
  const auto inspect = [&](const Words& more) {
    Words words{"inspect", graph, "--input", "x=" + x, "--npy", (folder / "npy").string(), "--seed", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  };
  const Outcome found = inspect({"--node", "x", "--node", "layer", "--steps", "2"});
  ASSERT_EQ(found.exit, 0) << found.err;
  EXPECT_THAT(found.out, testing::Not(HasSubstr("draws from"))) << "x is given";
  EXPECT_EQ(read_npy(folder / "npy/x.y.npy")->to_f64(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read_npy(folder / "npy/layer.y.npy")->dims(), (Dims{2, 2}));

  // At the first step the weights are the initial ones: what run computes.
  ASSERT_EQ(inspect({"--node", "layer"}).exit, 0);
  ASSERT_EQ(cli({"run", graph, "--input", "x=" + x, "--output", "layer.y=" + y}).exit, 0);
  EXPECT_EQ(test::read_bytes(y), test::read_bytes(folder / "npy/layer.y.npy"));

  // A wire inside, too.
  ASSERT_TRUE(save_npy(Tensor::from_f32(DType::f32, {4, 2}, std::vector<float>(8)), y));
  const Outcome wire = cli({"inspect", graph, "--input", "layer.y=" + y, "--node", "act", "--json"});
  EXPECT_EQ(wire.exit, 0) << "though no weight reaches the loss then: " << wire.err;
  EXPECT_THAT(wire.out, HasSubstr("\"act\""));
}

TEST(CliInferenceChecks, InspectNamesTheInputThatIsMissing) {
  const TempFolder folder;
  inference(folder);
  std::string text = test::read_bytes(folder / "g.halfwire");
  text.replace(text.find("[4, 3]}"), 7, "[4, 3], \"example\": \"none\"}");
  test::write_bytes(folder / "g.halfwire", text);
  const std::string graph = (folder / "g.halfwire").string(), x = (folder / "x.npy").string();
  const Outcome missing = cli({"inspect", graph, "--node", "layer"});
  EXPECT_EQ(missing.exit, 1);
  EXPECT_THAT(missing.err, HasSubstr("HW-G001 at x: its value is not given"));
  ASSERT_TRUE(save_npy(Tensor::from_f32(DType::f32, {4, 3}, std::vector<float>(12, 1)), x));
  const Outcome given = cli({"inspect", graph, "--node", "layer", "--input", "x=" + x});
  EXPECT_EQ(given.exit, 0) << given.err;
  // Its own values are never written over.
  const Outcome over = cli({"inspect", graph, "--node", "x", "--input", "x=" + (folder / "x.y.npy").string(), "--npy",
                            folder.path().string()});
  EXPECT_NE(over.exit, 0);
}

TEST(CliInferenceChecks, TrainingStillWantsATrainNode) {
  const TempFolder folder;
  EXPECT_THAT(cli({"train", inference(folder)}).err, HasSubstr("HW-G006"));
}

}  // namespace
}  // namespace hw
