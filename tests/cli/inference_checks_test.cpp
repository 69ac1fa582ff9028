// Checks of training on a graph without a Train node: the mean square of its outputs stands in for a loss.
#include <gmock/gmock.h>

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
    {"id": "best", "type": "arg_max", "params": {"axis": 1}}, {"id": "index", "type": "output"}],
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

TEST(CliInferenceChecks, TrainingStillWantsATrainNode) {
  const TempFolder folder;
  EXPECT_THAT(cli({"train", inference(folder)}).err, HasSubstr("HW-G006"));
}

}  // namespace
}  // namespace hw
