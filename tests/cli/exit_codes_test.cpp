// Exit codes: one meaning each, for every command.
#include <gmock/gmock.h>

#include <map>

#include "app/cli/print/report.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::Outcome;
using test::TempFolder;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

/// How a command is called on a graph; `more`: options that it needs or that make it quick.
struct Command {
  Words more = {};
  bool writes = false;  // -o FILE is needed: `out` names it
  bool has_set = true;
  std::string node_option = {};  // that names a node of the graph, with {} for its name
  const char* out = "x.png";
};

const std::map<std::string, Command> kOfGraphs{
    {"validate", {}},
    {"rewrite", {.has_set = false}},
    {"summary", {}},
    {"train", {.more = {"--steps", "1"}}},
    {"gradcheck", {.more = {"--samples", "4"}, .node_option = "--node"}},
    {"jacobian", {.node_option = "--node"}},
    {"parity", {.more = {"--steps", "1", "--samples", "16"}}},
    {"determinism", {.more = {"--steps", "1", "--samples", "16", "--threads", "1,2"}}},
    {"inspect", {.node_option = "--node"}},
    {"xray", {}},
    {"first-bad", {.more = {"--steps", "1"}}},
    {"what-if", {.more = {"--dtype", "f32", "--steps", "1"}, .node_option = "--nodes"}},
    {"plan-precision", {.more = {"--budget", "loss=50%", "--steps", "2", "--probe-steps", "1"}}},
    {"compare-runs", {.more = {"--steps", "1"}}},
    {"bench", {.more = {"--runs", "1"}}},
    {"run", {.node_option = "--output"}},
    {"render", {.writes = true, .node_option = "--node"}},
    {"bake", {.more = {"--size", "256"}, .writes = true, .node_option = "--node", .out = "x.glb"}},
};
const std::vector<std::string> kOthers{"nodes",  "devices",  "dtypes", "matrix",    "mesh-info", "diff",
                                       "blocks", "generate", "import", "onnx-test", "export",    "map-weights"};

class ExitCodes : public ::testing::Test {
 protected:
  /// The words of a whole call; a node is named where the command needs one.
  Words call(const std::string& name, const std::string& graph, const std::string& node = "mlp") {
    const Command& c = kOfGraphs.at(name);
    Words words{name, graph};
    words.insert(words.end(), c.more.begin(), c.more.end());
    if (c.writes) words.insert(words.end(), {"-o", (folder_ / c.out).string()});
    const bool is_needed = name != "gradcheck" && name != "render" && name != "bake";
    if (!c.node_option.empty() && (is_needed || node != "mlp"))
      words.insert(words.end(), {c.node_option, name == "run" ? node + ".y" : node});
    if (name == "train" || name == "compare-runs") words.insert(words.end(), {"--out", (folder_ / name).string()});
    return words;
  }
  void expect(int exit, const Words& words, const std::string& beginning) {
    const Outcome o = cli(words);
    EXPECT_EQ(o.exit, exit) << ::testing::PrintToString(words) << "\n" << o.err;
    EXPECT_THAT(o.err, HasSubstr(beginning)) << ::testing::PrintToString(words);
  }
  TempFolder folder_;
};

TEST_F(ExitCodes, TheTableIsWhatHelpAndTheGuideSayAndTheTestsKnowEveryCommand) {
  const std::string help = cli({"--help"}).out, guide = test::read_bytes(HALFWIRE_EXAMPLES "/../guide/terminal.md");
  for (const cli::ExitMeaning& row : cli::kExits) {
    EXPECT_THAT(help, HasSubstr(std::to_string(row.exit) + "  " + std::string(row.meaning)));
    EXPECT_THAT(guide, HasSubstr("| " + std::to_string(row.exit) + " | " + std::string(row.meaning) + " |"));
  }
  std::set<std::string> known(kOthers.begin(), kOthers.end());
  for (const auto& [name, c] : kOfGraphs) known.insert(name);
  EXPECT_EQ(test::listed_commands(), known);
}

TEST_F(ExitCodes, TwoForAnUnknownOptionAndAMissingWord) {
  for (const auto& [name, c] : kOfGraphs) {
    expect(2, {name, "--no-such-option"}, "HW-C001");
    expect(2, {name}, "HW-C001");
  }
  for (const std::string& name : kOthers) expect(2, {name, "--no-such-option"}, "HW-C001");
  expect(2, {}, "HW-C001");
  expect(2, {"fly"}, "HW-C001");
}

TEST_F(ExitCodes, ThreeForAGraphThatIsNotThere) {
  for (const auto& [name, c] : kOfGraphs) expect(3, call(name, (folder_ / "none.halfwire").string()), "HW-F001");
  expect(3, {"mesh-info", (folder_ / "none.obj").string()}, "HW-A002");
  expect(3, {"mesh-info", "asset:none.obj"}, "HW-A001");
}

TEST_F(ExitCodes, ThreeForAGraphThatIsNoGraph) {
  test::write_bytes(folder_ / "no.halfwire", "{");
  for (const auto& [name, c] : kOfGraphs) expect(3, call(name, (folder_ / "no.halfwire").string()), "HW-F003");
}

TEST_F(ExitCodes, OneForAGraphWithErrors) {
  // The encoder is wired to nothing: whatever is asked for, it is in the way.
  const std::string text = test::example_with("[\"aabb.y\", \"encoder.x\"],", "");
  test::write_bytes(folder_ / "broken.halfwire", text);
  for (const auto& [name, c] : kOfGraphs) {
    Words words = call(name, (folder_ / "broken.halfwire").string());
    if (name == "render" || name == "bake") words.insert(words.end(), {"--node", "viewport"});
    expect(1, words, "HW-G001");
  }
}

TEST_F(ExitCodes, TwoForANodeThatIsNotInTheGraph) {
  for (const auto& [name, c] : kOfGraphs) {
    if (!c.node_option.empty()) expect(2, call(name, test::kExample, "nobody"), "HW-G003 at " + c.node_option);
    if (!c.has_set) continue;
    for (const char* set : {"nobody.x=1", "mlp.nothing=1", "mlp.hidden_layers=many", "mlp"}) {
      Words words = call(name, test::kExample);
      words.insert(words.end(), {"--set", set});
      expect(2, words, " at --set ");
    }
  }
  expect(2, {"matrix", "nobody"}, "HW-G003 at <node> nobody");
  expect(2, {"gradcheck", "--nodes", "nobody"}, "HW-G003 at --nodes nobody");
}

TEST_F(ExitCodes, TwoForADeviceThatThereIsNot) {
  for (const char* name : {"train", "gradcheck", "jacobian", "determinism", "inspect", "xray", "what-if",
                           "plan-precision", "compare-runs", "run"}) {
    Words words = call(name, test::kExample);
    words.insert(words.end(), {"--device", "abacus"});
    expect(2, words, "HW-C001 at --device abacus");
  }
  Words words = call("parity", test::kExample);
  words.insert(words.end(), {"--a", "abacus"});
  expect(2, words, "abacus");
  expect(2, {"matrix", "linear", "--device", "abacus"}, "HW-C001 at --device abacus");
  expect(2, {"train", test::kExample, "--pin", "mlp=abacus"}, "HW-C001 at --pin");
}

TEST_F(ExitCodes, NoughtWhenItIsDone) {
  for (const char* name : {"nodes", "devices", "dtypes"}) EXPECT_EQ(cli({name}).exit, 0) << name;
  EXPECT_EQ(cli({"matrix", "linear"}).exit, 0);
  EXPECT_EQ(cli({"mesh-info", "asset:OBJ/box.obj"}).exit, 0);
  for (const auto& [name, c] : kOfGraphs) {
    Words words = call(name, test::kExample);
    if (c.has_set) words = test::small(words);
    const Outcome o = cli(words);
    EXPECT_EQ(o.exit, 0) << name << "\n" << o.err;
  }
}

}  // namespace
}  // namespace hw
