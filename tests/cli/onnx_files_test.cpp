// Models of ONNX on the command line: what is said where one is given for a graph, lacks an operator, or is there.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/io/tensor/weights_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::Outcome;
using test::TempFolder;
using ::testing::HasSubstr;
using ::testing::Not;

/// x [2, 3] → a node of this type → Output y.
std::string graph_of(const TempFolder& folder, const std::string& type) {
  const std::string file = (folder / "g.halfwire").string();
  test::write_bytes(file, R"({"halfwire": 1, "nodes": [
    {"id": "x", "type": "input", "params": {"shape": [2, 3]}}, {"id": "f", "type": ")" +
                              type + R"("},
    {"id": "y", "type": "output"}], "links": [["x.y", "f.x"], ["f.y", "y.x"]]})");
  return file;
}

TEST(CliOnnx, AModelForAGraphIsSaid) {
  const TempFolder folder;
  const std::string model = (folder / "m.onnx").string();
  ASSERT_EQ(cli({"export", graph_of(folder, "relu"), "-o", model}).exit, 0);
  for (const auto& args :
       {std::vector<std::string>{"run", model, "--output", "x.y"}, {"validate", model}, {"diff", model, model}}) {
    const Outcome o = cli(args);
    EXPECT_NE(o.exit, 0);
    EXPECT_THAT(o.err, HasSubstr("a model of ONNX"));
    EXPECT_THAT(o.err, HasSubstr("halfwire-cli import"));
  }
}

TEST(CliOnnx, TheModelMayStandBehindItsSizes) {
  const TempFolder folder;
  const std::string model = (folder / "m.onnx").string();
  ASSERT_EQ(cli({"export", graph_of(folder, "relu"), "-o", model}).exit, 0);
  const Outcome o = cli({"import", "-o", (folder / "back.halfwire").string(), "--size", "N=3", model});
  EXPECT_EQ(o.exit, 0) << o.err;
}

TEST(CliOnnx, OneValueIsTwoOutputs) {
  const TempFolder folder;
  const std::string graph = (folder / "g.halfwire").string(), model = (folder / "m.onnx").string();
  test::write_bytes(graph, R"({"halfwire": 1, "nodes": [
    {"id": "x", "type": "input", "params": {"shape": [2, 3]}}, {"id": "f", "type": "relu"},
    {"id": "a", "type": "output", "name": "1"}, {"id": "b", "type": "output", "name": "1"}],
    "links": [["x.y", "f.x"], ["f.y", "a.x"], ["f.y", "b.x"]]})");
  const Outcome made = cli({"export", graph, "-o", model, "--json"});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(nlohmann::json::parse(made.out)["outputs"], nlohmann::json({"1", "b"}));
  const Outcome back = cli({"import", model, "-o", (folder / "back.halfwire").string(), "--json"});
  ASSERT_EQ(back.exit, 0) << back.err;
  EXPECT_TRUE(nlohmann::json::parse(back.out)["missing"].empty());
}

TEST(CliOnnx, TheOpsetIsAChoice) {
  const TempFolder folder;
  const std::string graph = graph_of(folder, "gelu"), model = (folder / "m.onnx").string();
  const Outcome made = cli({"export", graph, "-o", model, "--opset", "20", "--json"});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(nlohmann::json::parse(made.out)["opset"], 20);
  EXPECT_EQ(nlohmann::json::parse(made.out)["operators"], 1);
  for (const char* other : {"16", "29", "new"}) {
    const Outcome o = cli({"export", graph, "-o", (folder / "n.onnx").string(), "--opset", other});
    EXPECT_EQ(o.exit, 2) << o.err;
    EXPECT_THAT(o.err, HasSubstr("HW-C001"));
  }
  const std::string narrow = (folder / "f8.halfwire").string();
  test::write_bytes(narrow, R"({"halfwire": 1, "nodes": [
    {"id": "x", "type": "input", "params": {"shape": [2, 3]}}, {"id": "f", "type": "cast", "params": {"to": "f8e4m3"}},
    {"id": "y", "type": "output"}], "links": [["x.y", "f.x"], ["f.y", "y.x"]]})");
  const Outcome old = cli({"export", narrow, "-o", (folder / "n.onnx").string()});
  EXPECT_EQ(old.exit, 1) << old.err;
  EXPECT_THAT(old.err, HasSubstr("HW-R002 at f: "));
  EXPECT_THAT(old.err,
              HasSubstr("opset 17 has no dtype f8e4m3; opset 19 has. Choose opset 19 or newer (on the command line: "
                        "--opset 19)."));
}

TEST(CliOnnx, EveryNodeInTheWayIsSaid) {
  const TempFolder folder;
  const std::string graph = (folder / "g.halfwire").string(), model = (folder / "m.onnx").string();
  test::write_bytes(graph, R"({"halfwire": 1, "nodes": [
    {"id": "x", "type": "input", "params": {"shape": [2, 3]}}, {"id": "f", "type": "spherical_harmonics"},
    {"id": "g", "type": "linear", "params": {"compute": "bf16"}}, {"id": "y", "type": "output"}],
    "links": [["x.y", "f.x"], ["f.features", "g.x"], ["g.y", "y.x"]]})");
  const Outcome o = cli({"export", graph, "-o", model});
  EXPECT_EQ(o.exit, 1) << o.err;
  EXPECT_THAT(o.err, HasSubstr("HW-R002 at f: "));
  EXPECT_THAT(o.err, HasSubstr("HW-R002 at g: "));
  EXPECT_THAT(o.err, HasSubstr("it computes in bf16, which ONNX cannot say."));
  EXPECT_FALSE(std::filesystem::exists(model));
}

TEST(CliOnnx, GroupsAreFunctionsOnWish) {
  const TempFolder folder;
  const std::string graph = (folder / "g.halfwire").string();
  test::write_bytes(graph, R"({"halfwire": 1, "nodes": [
    {"id": "a", "type": "group:soft", "params": {"slope": 0.5}}, {"id": "b", "type": "group:soft"},
    {"id": "x", "type": "input", "params": {"shape": [2, 3]}}, {"id": "y", "type": "output"}],
    "links": [["x.y", "a.x"], ["a.y", "b.x"], ["b.y", "y.x"]],
    "subgraphs": {"soft": {"title": "Soft", "params": [{"id": "slope", "node": "f", "param": "negative_slope"}],
      "nodes": [{"id": "f", "type": "leaky_relu"}, {"id": "x", "type": "input"}, {"id": "y", "type": "output"}],
      "links": [["x.y", "f.x"], ["f.y", "y.x"]]}}})");
  const Outcome plain = cli({"export", graph, "-o", (folder / "plain.onnx").string(), "--json"});
  ASSERT_EQ(plain.exit, 0) << plain.err;
  EXPECT_TRUE(nlohmann::json::parse(plain.out)["functions"].empty());
  const Outcome made = cli({"export", graph, "-o", (folder / "m.onnx").string(), "--functions", "--json"});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("note: instances of the function Soft differ in its attributes: f_alpha"));
  EXPECT_EQ(nlohmann::json::parse(made.out)["functions"],
            nlohmann::json::parse(
                R"([{"name": "Soft", "group": "Soft", "instances": ["a", "b"], "attributes": ["f_alpha"]}])"));
  const Outcome back = cli({"import", (folder / "m.onnx").string(), "-o", (folder / "back.halfwire").string()});
  ASSERT_EQ(back.exit, 0) << back.err;
}

TEST(CliOnnx, NoFileIsReplaced) {
  const TempFolder folder;
  const std::string graph = graph_of(folder, "relu"), model = (folder / "m.onnx").string();
  test::write_bytes(model, "of somebody");
  const Outcome o = cli({"export", graph, "-o", model});
  EXPECT_EQ(o.exit, 3) << o.err;
  EXPECT_THAT(o.err, HasSubstr("HW-F002"));
  EXPECT_THAT(o.err, HasSubstr("there is such a file already"));
  EXPECT_EQ(test::read_bytes(model), "of somebody");
}

TEST(CliOnnx, AMissingOperatorIsSaid) {
  const TempFolder folder;
  const std::string graph = graph_of(folder, "onnx:com.acme.Loop");
  for (const char* wire : {"f.y", "y.x"}) {
    const Outcome o = cli({"run", graph, "--output", wire});
    EXPECT_NE(o.exit, 0);
    EXPECT_THAT(o.err, HasSubstr("the ONNX operator com.acme.Loop, which Halfwire does not have"));
    EXPECT_THAT(o.err, Not(HasSubstr("newer")));
  }
  const Outcome o = cli({"validate", graph_of(folder, "torch:aten.sort.default")});
  EXPECT_EQ(o.exit, 1);
  EXPECT_THAT(o.err + o.out, HasSubstr("the PyTorch operator aten.sort.default, which Halfwire does not have"));
}

TEST(CliOnnx, WeightsAreMissedWhereThereAreParameters) {
  const TempFolder folder;
  EXPECT_THAT(cli({"run", graph_of(folder, "relu"), "--output", "f.y"}).err, Not(HasSubstr("no weights")));
  EXPECT_THAT(cli({"run", graph_of(folder, "linear"), "--output", "f.y"}).err, HasSubstr("no weights are given"));
}

TEST(CliOnnx, WeightsOfAnotherDtypeCanBeConverted) {
  const TempFolder folder;
  const std::string graph = graph_of(folder, "linear"), weights = (folder / "half.safetensors").string();
  WeightsFile file;
  file.tensors = {{"f.weight", Tensor::zeros(DType::f16, {64, 3})}, {"f.bias", Tensor::zeros(DType::f16, {64})}};
  ASSERT_TRUE(save_weights(file, weights));
  const Outcome refused = cli({"run", graph, "--weights", weights, "--output", "f.y", "--set", "f.out_features=64"});
  EXPECT_NE(refused.exit, 0);
  EXPECT_THAT(refused.err, HasSubstr("--convert-dtype"));
  const Outcome taken =
      cli({"run", graph, "--weights", weights, "--output", "f.y", "--set", "f.out_features=64", "--convert-dtype"});
  EXPECT_EQ(taken.exit, 0) << taken.err;
}

}  // namespace
}  // namespace hw
