// Weights of other names and dtypes on the command line: the table, what is kept, what is refused.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/npy.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::Outcome;
using test::TempFolder;
using ::testing::HasSubstr;
using ::testing::Not;

/// embed [16, 8] → block [16, 16] → head [4, 16], in bf16; block's parameters are stored in f8e4m3.
const std::string kGraph = std::string(HALFWIRE_EXAMPLES) + "/precision/dtype_clash.halfwire";

/// All in f8e4m3 with biases in bf16, under names of another tool.
void write_checkpoint(const std::filesystem::path& file) {
  WeightsFile w;
  for (const auto& [layer, out, in] : {std::tuple("embed", 16, 8), {"block", 16, 16}, {"head", 4, 16}}) {
    const std::string prefix = std::string("module.net.") + layer;
    w.tensors[prefix + ".gamma"] = Tensor::zeros(DType::f8e4m3, {out, in});
    w.tensors[prefix + ".beta"] = Tensor::zeros(DType::bf16, {out});
  }
  ASSERT_TRUE(save_weights(w, file));
}

TEST(CliMapWeights, TheTableSaysWhichTensorIsWhichParameterAndEveryClash) {
  const TempFolder folder;
  const std::string file = (folder / "w.safetensors").string();
  write_checkpoint(file);
  const Outcome o = cli({"map-weights", kGraph, file, "--map", "name", "--json"});
  EXPECT_EQ(o.exit, 1);
  const json table = json::parse(o.out);
  ASSERT_EQ(table["parameters"].size(), 6u);
  for (const json& row : table["parameters"]) {
    EXPECT_EQ(row["found_by"], "similar name");
    const std::string parameter = row["parameter"];
    const std::string end = parameter.ends_with("weight") ? ".gamma" : ".beta";
    EXPECT_EQ(row["tensor"], "module.net." + parameter.substr(0, parameter.find('.')) + end);
  }
  EXPECT_TRUE(table["unused"].empty());
  EXPECT_EQ(table["problems"].size(), 3u) << table["problems"];  // the weights of embed and head, the bias of block
  EXPECT_THAT(cli({"map-weights", kGraph, file, "--map", "name"}).out, HasSubstr("module.net.head.beta"));

  test::write_bytes(folder / "map.json", table["names"].dump());
  const Outcome again = cli({"validate", kGraph, "--weights", file, "--map", (folder / "map.json").string(), "--json"});
  EXPECT_EQ(json::parse(again.out)["errors"], 5) << "and the two of the graph itself: " << again.out;
}

TEST(CliMapWeights, WhatWasMappedIsKeptInTheGraph) {
  const TempFolder folder;
  const std::string file = (folder / "w.safetensors").string(), out = (folder / "out.halfwire").string();
  write_checkpoint(file);
  const Outcome o = cli({"map-weights", kGraph, file, "--map", "name", "--convert-dtype", "-o", out});
  EXPECT_EQ(o.exit, 0) << o.err;
  const auto graph = read_graph(out);
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->weight_names.size(), 6u);
  const auto written = read_weights(folder / "out.safetensors");
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_EQ(written->tensors.at("module.net.embed.gamma").dtype(), DType::bf16);
  // Without a word about names from now on.
  EXPECT_EQ(cli({"map-weights", out, file, "--convert-dtype"}).exit, 0);
  EXPECT_EQ(cli({"map-weights", out, (folder / "out.safetensors").string()}).exit, 0);
}

TEST(CliMapWeights, WhatIsNotThereIsNamed) {
  const TempFolder folder;
  const std::string file = (folder / "w.safetensors").string();
  write_checkpoint(file);
  const auto with = [&](const std::string& map) { return cli({"map-weights", kGraph, file, "--map", map}); };
  EXPECT_THAT(with("head.wight=module.net.head.gamma").err, HasSubstr("HW-F005 at head.wight"));
  EXPECT_THAT(with("head.weight=module.net.head.colonel").err, HasSubstr("HW-F005 at module.net.head.colonel"));
  EXPECT_THAT(with("nearly").err, HasSubstr("HW-C001"));
  test::write_bytes(folder / "map.json", R"({"head.weight": 3})");
  EXPECT_THAT(with((folder / "map.json").string()).err, HasSubstr("HW-F003"));
  const Outcome twice = cli({"map-weights", kGraph, file, "--map", "head.weight=module.net.head.gamma", "--map",
                             "embed.weight=module.net.head.gamma"});
  EXPECT_THAT(twice.err, HasSubstr("module.net.head.gamma is loaded to each of embed.weight, head.weight"));
  EXPECT_THAT(twice.err, HasSubstr("HW-F005 at embed.weight")) << "it has other sizes";
  const Outcome clash = cli({"map-weights", kGraph, file, "--map", "head.weight=module.net.head.gamma", "--map",
                             "head.weight=module.net.embed.gamma"});
  EXPECT_EQ(clash.exit, 2);
  EXPECT_THAT(clash.err, HasSubstr("\"head.weight\" is given twice"));
  const Outcome missing = cli({"map-weights", kGraph, file});
  EXPECT_EQ(missing.exit, 3);
  EXPECT_THAT(missing.err, HasSubstr("missing: "));
  EXPECT_EQ(cli({"map-weights", kGraph, file, "--map", "name", "--convert-dtype", "-o", file}).exit, 2);
}

TEST(CliMapWeights, NaNAndInfInAFileAreCountedAndNamed) {
  const TempFolder folder;
  const std::string graph = (folder / "g.halfwire").string(), file = (folder / "w.safetensors").string();
  test::write_bytes(graph, R"({"halfwire": 1, "nodes": [{"id": "x", "type": "input", "params": {"shape": [2, 3]}},
    {"id": "fc", "type": "linear", "params": {"out_features": 2}}], "links": [["x.y", "fc.x"]]})");
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  WeightsFile w;
  w.tensors["fc.weight"] = Tensor::from_f64(DType::f32, {2, 3}, std::vector<double>{1, nan, -inf, 4, nan, 6});
  w.tensors["fc.bias"] = Tensor::zeros(DType::f32, {2});
  ASSERT_TRUE(save_weights(w, file));
  const Outcome o = cli({"map-weights", graph, file});
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("fc.weight has 2 NaN and 1 Inf among its 6 elements"));
  EXPECT_THAT(o.err, Not(HasSubstr("fc.bias")));
  const json table = json::parse(cli({"map-weights", graph, file, "--json"}).out);
  EXPECT_EQ(table["not_finite"], json::parse(R"([{"tensor": "fc.weight", "nan": 2, "inf": 1}])"));
}

/// As an embedding and the layer that reads its table turned: either alone gives the other.
TEST(CliMapWeights, OneMatrixIsAParameterAndTheTransposeOfAnother) {
  const TempFolder folder;
  const std::string graph = (folder / "g.halfwire").string(), file = (folder / "w.safetensors").string(),
                    out = (folder / "y.npy").string(), again = (folder / "again.halfwire").string();
  test::write_bytes(graph, R"({"halfwire": 1, "nodes": [{"id": "x", "type": "input", "params": {"shape": [2, 2]}},
    {"id": "fc", "type": "linear", "params": {"out_features": 2, "bias": false}},
    {"id": "p", "type": "parameter", "params": {"shape": [2, 2]}}, {"id": "sum", "type": "matmul"}],
    "links": [["x.y", "fc.x"], ["fc.y", "sum.a"], ["p.y", "sum.b"]],
    "weight_names": {"fc.weight": "W^T", "p.value": "W"}})");
  WeightsFile w;
  w.tensors["W"] = Tensor::from_f64(DType::f32, {2, 2}, std::vector<double>{1, 2, 3, 4});
  ASSERT_TRUE(save_weights(w, file));
  const Outcome o = cli({"map-weights", graph, file, "-o", again});
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("W is loaded to each of fc.weight, p.value"));
  for (const auto& [g, weights] : {std::pair(graph, file), std::pair(again, (folder / "again.safetensors").string())}) {
    const Outcome run = cli({"run", g, "--weights", weights, "--output", "p.y=" + out});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(read_npy(out)->to_f64(), (std::vector<double>{1, 2, 3, 4})) << g;
  }
  const auto written = read_weights(folder / "again.safetensors");
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_EQ(written->tensors.at("W").to_f64(), (std::vector<double>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace hw
