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
using test::TempFolder;
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

/// A dump of sine: what a run makes, under the names "first" and "second".
void write_dump(const TempFolder& folder) {
  const auto file = [&](const char* name) { return (folder / name).string(); };
  const Outcome made = cli({"run", example("sine"), "--output", "x.y=" + file("x.npy"), "--output",
                            "sin.y=" + file("first.npy"), "--output", "mlp.y=" + file("second.npy")});
  EXPECT_EQ(made.exit, 0) << made.err;
}

TEST(ParityCommand, TakesEveryMapOfADump) {
  const TempFolder folder;
  write_dump(folder);
  const auto against = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"parity", example("sine"), "--against", folder.path().string(), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  };
  const Outcome both = against({"--map", "first=sin.y", "--map", "second=mlp.y"});
  const json report = json::parse(both.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << both.err;
  std::map<std::string, std::string> wires;
  for (const json& wire : report["wires"])
    if (wire["matched_by"] == "map") wires[wire["tensor"]] = wire["node"];
  EXPECT_EQ(wires, (std::map<std::string, std::string>{{"first", "sin"}, {"second", "mlp"}}));
  test::write_bytes(folder / "map.json", R"({"first": "sin.y", "second": "mlp.y"})");
  EXPECT_EQ(against({"--map", (folder / "map.json").string()}).out, both.out);

  const Outcome clash = against({"--map", "first=sin.y", "--map", "first=mlp.y"});
  EXPECT_EQ(clash.exit, 2);
  EXPECT_THAT(clash.err, HasSubstr("\"first\" is given twice"));
  const Outcome shared = against({"--map", "first=sin.y", "--map", "second=sin"});
  EXPECT_EQ(shared.exit, 2);
  EXPECT_THAT(shared.err, HasSubstr("Name each wire once"));
  const Outcome unknown = against({"--map", "third=sin.y"});
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_THAT(unknown.err, HasSubstr("HW-C001 at --map third"));
}

TEST(ParityCommand, AMapWantsADump) {
  const Outcome o = cli({"parity", example("sine"), "--map", "first=sin.y"});
  EXPECT_EQ(o.exit, 2);
  EXPECT_THAT(o.err, HasSubstr("HW-C001 at --map first=sin.y"));
  EXPECT_THAT(o.err, HasSubstr("--against"));
}

}  // namespace
}  // namespace hw
