// gradcheck: no example that comes with the program has a wrong gradient; what is checked can be chosen.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/engine/idx_files.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::Outcome;
using test::TempFolder;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::string example(const std::string& name) {
  return std::string(HALFWIRE_EXAMPLES) + "/" + name + ".halfwire";
}

std::vector<std::string> names_of(const json& report) {
  std::vector<std::string> names;
  for (const json& block : report["blocks"]) names.push_back(block["name"]);
  return names;
}

/// All that can be trained; dtype_clash has errors on purpose.
std::vector<std::string> examples() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(HALFWIRE_EXAMPLES)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() == ".halfwire" && path.stem() != "dtype_clash")
      found.push_back(std::filesystem::relative(path, HALFWIRE_EXAMPLES).replace_extension().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class ExampleGradients : public testing::TestWithParam<std::string> {};

TEST_P(ExampleGradients, AreRight) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "mnist");
  test::write_idx_set(folder / "mnist", {64, 16}, {28, 28}, 10);
  ::setenv("HALFWIRE_ASSETS", folder.path().c_str(), 1);
  const Outcome o = cli({"gradcheck", "--json", example(GetParam())});
  ::unsetenv("HALFWIRE_ASSETS");
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

INSTANTIATE_TEST_SUITE_P(Examples, ExampleGradients, testing::ValuesIn(examples()), [](const auto& test) {
  std::string name = test.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

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
