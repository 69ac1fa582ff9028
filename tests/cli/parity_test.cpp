// parity: the devices agree on every example that comes with the program.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/made_data.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::example;
using test::Outcome;
using ::testing::HasSubstr;

class ExampleParity : public testing::TestWithParam<std::string> {};

/// Agreement on all values of the last step; how many of them have other bits.
size_t agreement(const std::string& name, const char* a, const char* b) {
  const test::MadeData data;
  std::vector<std::string> words{"parity", "--json", "--a", a, "--b", b, "--samples", "64"};
  for (const std::string& word : test::small(name)) words.push_back(word);
  const Outcome o = cli(words);
  EXPECT_EQ(o.exit, 0) << o.out << o.err;
  const json report = json::parse(o.out, nullptr, false);
  if (!report.is_object()) {
    ADD_FAILURE() << o.out;
    return 0;
  }
  EXPECT_EQ(report["agrees"], true);
  EXPECT_EQ(report["steps"], 3);
  EXPECT_TRUE(report["first"].is_null());
  EXPECT_EQ(report["losses"].size(), 3u);
  EXPECT_GE(report["values"].size(), 20u);
  size_t others = 0;
  std::set<std::string> passes;
  for (const json& value : report["values"]) {
    EXPECT_LE(value["error"].get<double>(), 1) << value;
    others += value["verdict"] != "same bits";
    passes.insert(value["pass"]);
  }
  EXPECT_THAT(passes, testing::ElementsAre("backward", "forward", "update"));
  return others;
}

TEST_P(ExampleParity, OfTheCpuWithItsOracle) {
  agreement(GetParam(), "ref", "cpu");
}

TEST_P(ExampleParity, OfOneThreadWithTwo) {
  EXPECT_EQ(agreement(GetParam(), "cpu@1", "cpu@2"), 0u);
}

INSTANTIATE_TEST_SUITE_P(Examples, ExampleParity, testing::ValuesIn(test::trainable_examples()),
                         [](const auto& test) { return test::letters_of(test.param); });

// Sums that cancel in an optimiser's state, and colours looked up where uv is rounded.
TEST(ParityCommand, LongRunsAgreeToo) {
  for (const char* name : {"sine", "neural_texture"}) {
    const Outcome o = cli({"parity", example(name), "--steps", "40"});
    EXPECT_EQ(o.exit, 0) << name << o.out << o.err;
  }
}

TEST(ParityCommand, SaysWhatItCompared) {
  const Outcome o = cli({"parity", example("photograph"), "--samples", "64", "--steps", "1"});
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("reduced: encoder.log2_table 17 → 12, sampler.points 65536 → 64\n"));
  EXPECT_THAT(o.out, HasSubstr("ref beside cpu, seed "));
  EXPECT_THAT(o.out, HasSubstr("No divergence: of "));
}

TEST(ParityCommand, RefusesWhatItCannotCompare) {
  const Outcome device = cli({"parity", example("sine"), "--b", "cpu@0"});
  EXPECT_EQ(device.exit, 2);
  EXPECT_THAT(device.err, HasSubstr("HW-C001"));
  EXPECT_EQ(cli({"parity", example("nothing")}).exit, 3);
  const Outcome weights = cli({"parity", example("sine"), "--weights", "none.safetensors"});
  EXPECT_EQ(weights.exit, 3);
  EXPECT_THAT(weights.err, HasSubstr("HW-F001"));
}

}  // namespace
}  // namespace hw
