// parity --against: a graph beside a dump that has a group by its module's name and lacks the graph's input.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/io/tensor/npy.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::Outcome;
using test::TempFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// x [2] of ones → blocks_2 (x → relu → y) → sin.
std::string graph_in(const TempFolder& folder) {
  const std::string file = (folder / "g.halfwire").string();
  test::write_bytes(file, R"({"halfwire": 1, "subgraphs": {"block": {"nodes": [
      {"id": "x", "type": "input"}, {"id": "act", "type": "relu"}, {"id": "y", "type": "output"}],
    "links": [["x.y", "act.x"], ["act.y", "y.x"]]}}, "nodes": [
    {"id": "x", "type": "input", "params": {"axes": "N", "example": "ones", "shape": [2]}},
    {"id": "blocks_2", "type": "group:block"}, {"id": "sin", "type": "sin"}],
    "links": [["x.y", "blocks_2.x"], ["blocks_2.y", "sin.x"]]})");
  return file;
}

TEST(CliParityAgainst, ADumpThatLacksTheInputIsSaid) {
  const TempFolder folder, dump;
  const std::string graph = graph_in(folder);
  const auto write = [&](const std::string& name, std::vector<float> values) {
    ASSERT_TRUE(save_npy(Tensor::from_f32(DType::f32, {2}, values), dump / (name + ".npy")));
  };
  write("blocks.2", {1, 1});
  const Outcome lacks = cli({"parity", graph, "--against", dump.path().string()});
  EXPECT_EQ(lacks.exit, 0) << lacks.out << lacks.err;
  EXPECT_THAT(lacks.out, HasSubstr("blocks_2/y"));
  EXPECT_THAT(lacks.out, HasSubstr("no tensor for the Input x"));
  const Outcome as_json = cli({"parity", graph, "--against", dump.path().string(), "--json"});
  EXPECT_EQ(nlohmann::json::parse(as_json.out)["example_inputs"], nlohmann::json({"x"}));

  write("x", {-1, 2});
  const Outcome given = cli({"parity", graph, "--against", dump.path().string()});
  EXPECT_EQ(given.exit, 1) << given.out << given.err;
  EXPECT_THAT(given.out, HasSubstr("blocks_2/y diverges first"));
  EXPECT_THAT(given.out, Not(HasSubstr("no tensor for the Input")));
}

TEST(CliParityAgainst, AnArrayThatCannotBeReadIsListedAndTheOthersAreCompared) {
  const TempFolder folder, dump;
  const std::string graph = graph_in(folder);
  const auto write = [&](const std::string& name, std::vector<float> values) {
    ASSERT_TRUE(save_npy(Tensor::from_f32(DType::f32, {2}, values), dump / (name + ".npy")));
  };
  write("blocks.2", {1, 1});
  test::write_bytes(dump / "sin.npy", "no array");
  test::write_bytes(dump / "x.npy", "no array");
  const std::vector<std::string> command{"parity", graph, "--against", dump.path().string(), "--map", "sin=sin.y"};
  const Outcome found = cli(command);
  EXPECT_EQ(found.exit, 0) << found.out << found.err;
  EXPECT_THAT(found.out, HasSubstr("No divergence: 1 wires agree."));
  EXPECT_THAT(found.out, HasSubstr("not read: \"sin\": this is not a .npy file."));
  EXPECT_THAT(found.out, HasSubstr("has a tensor that is not read for the Input x"));
  const Outcome as_json = cli({"parity", graph, "--against", dump.path().string(), "--json"});
  EXPECT_TRUE(nlohmann::json::parse(as_json.out)["not_read"].contains("sin"));

  std::filesystem::remove(dump / "blocks.2.npy");
  ASSERT_TRUE(save_npy(Tensor::zeros(DType::f32, {7}), dump / "elsewhere.npy"));
  const Outcome nothing = cli(command);
  EXPECT_EQ(nothing.exit, 3);
  EXPECT_THAT(nothing.err, AllOf(HasSubstr("nothing was compared"), HasSubstr("Not read: sin")));
}

}  // namespace
}  // namespace hw
