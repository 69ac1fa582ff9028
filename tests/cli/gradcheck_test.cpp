// gradcheck: no example that comes with the program has a wrong gradient; what is checked can be chosen.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/io/graph/graph_file.h"
#include "tests/cli/made_data.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::example;
using test::Outcome;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::vector<std::string> names_of(const json& report) {
  std::vector<std::string> names;
  for (const json& block : report["blocks"]) names.push_back(block["name"]);
  return names;
}

class ExampleGradients : public testing::TestWithParam<std::string> {};

TEST_P(ExampleGradients, AreRight) {
  const test::MadeData data;
  std::vector<std::string> words{"gradcheck", "--json"};
  for (const std::string& word : test::small(GetParam())) words.push_back(word);
  const Outcome o = cli(words);
  EXPECT_EQ(o.exit, 0) << o.out << o.err;
  const json report = json::parse(o.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << o.out;
  EXPECT_EQ(report["passed"], true);
  EXPECT_THAT(report["suspects"], testing::IsEmpty());
  size_t right = 0;
  for (const json& block : report["blocks"]) {
    const std::string verdict = block["verdict"];
    EXPECT_THAT(verdict, testing::AnyOf("right", "at a kink", "dead", "unclear")) << block;
    EXPECT_GE(block["checks"], 1) << block;
    right += verdict == "right" || verdict == "at a kink";
  }
  EXPECT_GE(right * 10, report["blocks"].size() * 9) << "too much that says nothing";
}

INSTANTIATE_TEST_SUITE_P(Examples, ExampleGradients, testing::ValuesIn(test::trainable_examples()),
                         [](const auto& test) { return test::letters_of(test.param); });

TEST(GradcheckCommand, SaysWhatWasReduced) {
  const Outcome o = cli({"gradcheck", example("photograph")});
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("reduced: encoder.log2_table 17 → 12, sampler.points 65536 → 32\n"));
  EXPECT_THAT(o.out, HasSubstr("no gradient is wrong\n"));
  const json few = json::parse(cli({"gradcheck", "--json", "--samples", "5", example("photograph")}).out);
  EXPECT_THAT(few["reduced"], Contains(json{{"node", "sampler"}, {"param", "points"}, {"from", 65536}, {"to", 5}}));
}

TEST(GradcheckCommand, ChecksASelection) {
  const Outcome one = cli({"gradcheck", "--json", "--node", "sigmoid", example("photograph")});
  EXPECT_EQ(one.exit, 0) << one.err;
  EXPECT_THAT(names_of(json::parse(one.out)), UnorderedElementsAre("mlp.y", "sigmoid.y"));
  const Outcome two = cli({"gradcheck", "--json", "--node", "sigmoid", "--node", "cast", example("photograph")});
  EXPECT_THAT(names_of(json::parse(two.out)), UnorderedElementsAre("encoder.features", "cast.y", "mlp.y", "sigmoid.y"));
}

TEST(GradcheckCommand, ChecksTheExamplesOfNodes) {
  const Outcome o = cli({"gradcheck", "--json", "--nodes", "relu", "mlp"});
  EXPECT_EQ(o.exit, 0) << o.err;
  const json report = json::parse(o.out);
  EXPECT_EQ(report["passed"], true);
  std::vector<std::string> nodes;
  for (const json& e : report["examples"])
    if (nodes.empty() || nodes.back() != e["node"].get<std::string>()) nodes.push_back(e["node"]);
  EXPECT_THAT(nodes, ElementsAre("relu", "mlp"));
  const Outcome text = cli({"gradcheck", "--nodes", "sigmoid"});
  EXPECT_THAT(text.out, StartsWith("sigmoid, "));
  EXPECT_THAT(text.out, HasSubstr(" 0 wrong\n"));
}

TEST(GradcheckCommand, RefusesWhatItCannotCheck) {
  const Outcome unknown = cli({"gradcheck", "--node", "nobody", example("sine")});
  EXPECT_NE(unknown.exit, 0);
  EXPECT_THAT(unknown.err, HasSubstr("HW-G003 at --node nobody"));
  EXPECT_THAT(cli({"gradcheck", "--nodes", "nothing"}).err, HasSubstr("HW-G003 at --nodes nothing"));
  EXPECT_THAT(cli({"gradcheck"}).err, HasSubstr("HW-C001"));
  EXPECT_THAT(cli({"gradcheck", example("sine"), "--nodes"}).err, HasSubstr("HW-C001"));
}

/// A network of ResNet-20's size: three stages of three blocks, 16, 32, 64 channels, on pictures of 32 × 32.
Graph residual_network() {
  using test::link;
  using test::node;
  Edits edits{
      AddNode{node("x", "random", {{"shape", std::vector<double>{8, 3, 32, 32}}, {"axes", std::string("N C H W")}})}};
  const auto add = [&](const std::string& id, const std::string& type, const ParamMap& params,
                       const std::vector<std::pair<std::string, std::string>>& wires) {
    edits.push_back(AddNode{node(id, type, params)});
    for (const auto& [from, socket] : wires) edits.push_back(AddLink{link(from, id + "." + socket)});
    return id + ".y";
  };
  const auto layer = [&](const std::string& id, const std::string& from, int64_t channels, double stride,
                         double kernel) {
    const std::string y = add(id, "conv2d",
                              {{"out_channels", channels},
                               {"kernel_size", std::vector<double>{kernel}},
                               {"stride", std::vector<double>{stride}},
                               {"bias", false}},
                              {{from, "x"}});
    return add(id + "_norm", "batch_norm", {}, {{y, "x"}});
  };
  std::string y = add("first_relu", "relu", {}, {{layer("first", "x.y", 16, 1, 3), "x"}});
  for (int stage = 0; stage < 3; ++stage)
    for (int block = 0; block < 3; ++block) {
      const std::string id = "s" + std::to_string(stage) + "b" + std::to_string(block);
      const int64_t channels = int64_t{16} << stage;
      const double stride = stage > 0 && block == 0 ? 2 : 1;
      const std::string inner = add(id + "_relu", "relu", {}, {{layer(id + "_a", y, channels, stride, 3), "x"}});
      const std::string around = stride == 1 ? y : layer(id + "_around", y, channels, stride, 1);
      const std::string sum =
          add(id + "_add", "add", {}, {{layer(id + "_b", inner, channels, 1, 3), "a"}, {around, "b"}});
      y = add(id + "_out", "relu", {}, {{sum, "x"}});
    }
  y = add("pool", "global_avg_pool", {}, {{y, "x"}});
  y = add("scores", "linear", {{"out_features", int64_t{10}}}, {{y, "x"}});
  y = add("square", "mul", {}, {{y, "a"}, {y, "b"}});
  y = add("mean", "mean", {}, {{y, "x"}});
  edits.push_back(AddNode{node("train", "train")});
  edits.push_back(AddLink{link(y, "train.loss")});
  return test::built(edits);
}

TEST(GradcheckCommand, ALargeNetworkRunsOnTheCpuSaysHowFarItIsAndStops) {
  const test::TempFolder folder;
  const std::string file = (folder / "g.halfwire").string();
  ASSERT_TRUE(save_graph(residual_network(), file));
  test::Process process({"gradcheck", file, "--json"});
  const auto says = [&](const char* text) {
    for (int i = 0; i < 3000; ++i, ::usleep(100'000))
      if (process.err().find(text) != std::string::npos) return true;
    return false;
  };
  ASSERT_TRUE(says("note: it runs on cpu. A run takes "));
  EXPECT_TRUE(says(" %  ")) << "though it goes to a file";
  ::kill(process.pid(), SIGINT);
  const Outcome o = process.wait();
  EXPECT_EQ(o.exit, 128 + SIGINT) << o.err;
  const json report = json::parse(o.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << o.out;
  EXPECT_EQ(report["device"], "cpu");
  EXPECT_EQ(report["stopped"], true);
  // What the user asked for is not chosen.
  const Outcome small = cli({"gradcheck", "--json", "--node", "sigmoid", example("photograph")});
  EXPECT_THAT(small.err, HasSubstr("note: it runs on "));
  const Outcome asked = cli({"gradcheck", "--json", "--node", "sigmoid", "--device", "cpu", example("photograph")});
  EXPECT_THAT(asked.err, testing::Not(HasSubstr("it runs on")));
  EXPECT_EQ(json::parse(asked.out)["device"], "cpu");
}

}  // namespace
}  // namespace hw
