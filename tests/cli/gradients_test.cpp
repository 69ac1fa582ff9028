// train --instruments: gradients.csv, and what is off in words.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::kExample;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> run_into(const std::string& out, std::vector<std::string> more) {
  std::vector<std::string> run{"train", kExample, "--steps", "12", "--out", out};
  for (const char* set : {"sampler.points=256", "encoder.log2_table=8", "encoder.levels=4"})
    run.insert(run.end(), {"--set", set});
  run.insert(run.end(), more.begin(), more.end());
  return run;
}

TEST(CliGradients, EveryLookHasALineForEveryWireAndParameter) {
  const test::TempFolder folder;
  const auto o = cli(run_into((folder / "out").string(), {"--instruments-every", "1"}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("gradients.csv"));
  std::istringstream csv(test::read_bytes(folder / "out" / "gradients.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "step,node,value,kind,gradient_norm,gradient_rms,weight_norm,update_weight,sampled,elements");
  std::map<std::string, int> lines;
  std::string last_weight;
  while (std::getline(csv, line)) {
    std::vector<std::string> cells;
    std::istringstream in(line + ",");
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    cells.resize(10);
    ++lines[cells[1] + "." + cells[2]];
    const bool parameter = cells[3] == "parameter";
    EXPECT_EQ(cells[6].empty(), !parameter) << line;
    EXPECT_EQ(cells[7].empty(), !parameter) << line;
    EXPECT_FALSE(cells[4].empty()) << line;
    EXPECT_EQ(std::stoll(cells[8]), std::min<int64_t>(4096, std::stoll(cells[9]))) << line;
    if (cells[1] + "." + cells[2] == "encoder.table") last_weight = cells[6];
  }
  for (const char* value : {"encoder.features", "encoder.table", "mlp.y", "mlp.layer_0", "sigmoid.y"})
    EXPECT_EQ(lines[value], 12) << value;
  const json report = json::parse(test::read_bytes(folder / "out" / "report.json"));
  EXPECT_EQ(report["gradients"]["looks"], 12);
  bool found = false;
  for (const json& v : report["gradients"]["values"]) {
    if (v["node"] != "encoder" || v["value"] != "table") continue;
    found = true;
    EXPECT_EQ(v["step"], 12);
    EXPECT_EQ(v["weight_norm"].get<double>(), std::stod(last_weight)) << "digits enough to read back";
  }
  EXPECT_TRUE(found);
}

TEST(CliGradients, WhatIsOffIsSaidAndOnlyThat) {
  const test::TempFolder folder;
  const auto still =
      cli(run_into((folder / "still").string(), {"--instruments-every", "1", "--set", "train.learning_rate=1e-9"}));
  ASSERT_EQ(still.exit, 0) << still.err;
  EXPECT_THAT(still.out, HasSubstr("barely move"));
  const json report = json::parse(test::read_bytes(folder / "still" / "report.json"));
  EXPECT_EQ(report["gradients"]["verdicts"][0]["kind"], "small_updates");
  const auto plain = cli(run_into((folder / "plain").string(), {}));
  ASSERT_EQ(plain.exit, 0) << plain.err;
  EXPECT_THAT(plain.out, Not(HasSubstr("gradients.csv")));
  EXPECT_FALSE(std::filesystem::exists(folder / "plain" / "gradients.csv"));
  EXPECT_FALSE(json::parse(test::read_bytes(folder / "plain" / "report.json")).contains("gradients"));
}

}  // namespace
}  // namespace hw
