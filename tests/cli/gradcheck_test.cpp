// gradcheck: no example that comes with the program has a wrong gradient; what is checked can be chosen.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/made_data.h"

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
    if (nodes.empty() || nodes.back() != e["node"]) nodes.push_back(e["node"]);
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

}  // namespace
}  // namespace hw
