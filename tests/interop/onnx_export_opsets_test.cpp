// Exported models in each opset: operators in the form of the opset, older ones for what it lacks, or a refusal.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "tests/interop/exported_node.h"
#include "tests/interop/onnx_models.h"

namespace hw::test {
namespace {

using ::testing::HasSubstr;
using Names = std::vector<std::string>;
using Values = std::vector<double>;
using Inputs = std::map<std::string, std::pair<DType, Dims>>;

Names written(const Node& tried, const Inputs& inputs, int64_t opset) {
  const auto model = exported(tried, inputs, {.opset = opset});
  EXPECT_TRUE(model) << tried.id << " in opset " << opset << ": " << model.error().text();
  return model ? operators_of(*model) : Names{};
}

TEST(OnnxExportOpsets, AnOperatorIsWrittenFromTheOpsetOnThatHasIt) {
  const Inputs x{{"x", {DType::f32, {2, 4, 4, 6}}}};
  const auto check = [&](const Node& tried, int64_t since, const char* op) {
    const Names before = written(tried, x, since - 1);
    EXPECT_GT(before.size(), 1u) << op;
    EXPECT_THAT(before, ::testing::Not(::testing::Contains(op)));
    EXPECT_EQ(written(tried, x, since), Names{op});
    EXPECT_EQ(written(tried, x, interop::kLastOpset), Names{op});
  };
  check(node("mish", "mish"), 18, "Mish");
  check(node("gelu", "gelu"), 20, "Gelu");
  check(node("norm", "group_norm", {{"groups", int64_t{2}}}), 21, "GroupNormalization");
  check(node("norm", "rms_norm"), 23, "RMSNormalization");
  check(node("blocks", "depth_to_space", {{"inverse", true}}), 28, "SpaceToDepth");
}

TEST(OnnxExportOpsets, FormsAreThoseOfTheOpset) {
  const Node mean = node("mean", "mean", {{"axes", Values{1}}});
  const Inputs x{{"x", {DType::f32, {2, 3}}}};
  const auto old = exported(mean, x, {.opset = 17}), young = exported(mean, x, {.opset = 18});
  ASSERT_TRUE(old && young);
  EXPECT_EQ(old->graph.nodes.at(0).integers("axes"), std::vector<int64_t>{1});
  EXPECT_EQ(old->graph.nodes[0].inputs.size(), 1u);
  EXPECT_FALSE(young->graph.nodes.at(0).has("axes"));
  EXPECT_EQ(young->graph.nodes[0].inputs.size(), 2u);
  const Inputs grid{{"x", {DType::f32, {1, 1, 4, 4}}}, {"grid", {DType::f32, {1, 2, 2, 2}}}};
  for (const auto& [opset, mode] : {std::pair(int64_t{19}, "bilinear"), {int64_t{20}, "linear"}}) {
    const auto made = exported(node("sampled", "grid_sample"), grid, {.opset = opset});
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->graph.nodes.at(0).text("mode", ""), mode);
  }
}

TEST(OnnxExportOpsets, WhatAnOpsetLacksNamesTheOneThatHasIt) {
  const auto check = [](const Node& tried, const Inputs& inputs, int64_t since, const char* what) {
    const auto refused = exported(tried, inputs, {.opset = since - 1});
    ASSERT_FALSE(refused) << what;
    EXPECT_EQ(refused.error().code, codes::unsupported);
    EXPECT_EQ(refused.error().where, tried.id);
    const std::string before = std::to_string(since - 1), from = std::to_string(since);
    EXPECT_THAT(refused.error().reason, HasSubstr("opset " + before + " has no " + what + "; opset " + from + " has."));
    EXPECT_THAT(refused.error().remedy, HasSubstr("--opset " + from));
    EXPECT_TRUE(exported(tried, inputs, {.opset = since})) << what;
  };
  const Inputs bf16{{"x", {DType::bf16, {1, 1, 4, 4}}}};
  check(node("pool", "max_pool", {{"kernel_size", Values{2}}}), bf16, 22, "MaxPool of bf16");
  check(node("sin", "sin"), bf16, 22, "Sin of bf16");
  check(node("celu", "celu"), bf16, 28, "Celu of bf16");
  check(node("cast", "cast", {{"to", std::string("f8e4m3")}}), bf16, 19, "dtype f8e4m3");
  const Inputs f8{{"x", {DType::f8e4m3, {2, 3}}}};
  check(node("turned", "transpose"), f8, 21, "Transpose of f8e4m3");
  const auto input = exported(node("same", "reroute"), f8, {.opset = 18});
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().where, "x");
  EXPECT_THAT(input.error().remedy, HasSubstr("--opset 19"));
}

TEST(OnnxExportOpsets, OthersAreNotWritten) {
  for (const int64_t opset : {int64_t{16}, interop::kLastOpset + 1}) {
    const auto made = exported(node("relu", "relu"), {{"x", {DType::f32, {2}}}}, {.opset = opset});
    ASSERT_FALSE(made) << opset;
    EXPECT_EQ(made.error().code, codes::bad_usage);
    EXPECT_THAT(made.error().remedy, HasSubstr("17 to 28"));
  }
}

TEST(OnnxExportOpsets, TheFileSaysItsOpsetAndFormat) {
  const TempFolder folder;
  for (const auto& [opset, format] : {std::pair(17, 8), {19, 9}, {21, 10}, {23, 11}, {24, 12}, {27, 13}, {28, 14}}) {
    const auto made = exported(node("relu", "relu"), {{"x", {DType::f32, {2}}}}, {.opset = opset});
    ASSERT_TRUE(made) << made.error().text();
    const auto file = folder / (std::to_string(opset) + ".onnx");
    ASSERT_TRUE(interop::write_onnx(*made, file));
    std::ifstream in(file, std::ios::binary);
    onnx::ModelProto read;
    ASSERT_TRUE(read.ParseFromIstream(&in));
    EXPECT_EQ(read.ir_version(), format);
    EXPECT_EQ(read.opset_import(0).version(), opset);
  }
}

TEST(OnnxExportOpsets, FloatsOf8BitsComeBack) {
  const Values x{1, 0.3, 500, -1000, 1e-3}, ends{1, 0.3125, 448, -448, 0.001953125};
  for (const bool saturates : {true, false}) {
    const Node cast = node("cast", "cast", {{"to", std::string("f8e4m3")}, {"saturate", saturates}});
    const auto made = exported(cast, {{"x", {DType::f32, {5}}}}, {.opset = 19});
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->graph.nodes.at(0).integer("saturate", -1), saturates ? 1 : 0);
    const TempFolder folder;
    ASSERT_TRUE(interop::write_onnx(*made, folder / "m.onnx"));
    const auto read = interop::read_onnx(folder / "m.onnx");
    ASSERT_TRUE(read) << read.error().text();
    const auto back = interop::import_graph(*read);
    ASSERT_TRUE(back) << back.error().text();
    const Values y = values_of(*back, Tensor::from_f64(DType::f32, {5}, x));
    for (const size_t i : {0, 1, 4}) EXPECT_EQ(y.at(i), ends[i]);
    for (const size_t i : {2, 3}) EXPECT_TRUE(saturates ? y[i] == ends[i] : std::isnan(y[i])) << y[i];
  }
}

TEST(OnnxExportOpsets, WholeNumbersOfFloatsOf8BitsStopAtTheEnds) {
  const auto made =
      exported(node("cast", "cast", {{"to", std::string("i8")}}), {{"x", {DType::f8e4m3, {3}}}}, {.opset = 19});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(operators_of(*made), (Names{"Cast", "Clip", "Cast"}));
  const auto back = interop::import_graph(*made);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(values_of(*back, Tensor::from_f64(DType::f8e4m3, {3}, Values{448, -448, 3.5})), (Values{127, -128, 3}));
}

TEST(OnnxExportOpsets, HalvesAreQuantisedInF32InEachOpset) {
  const Inputs halves{{"x", {DType::f16, {2, 3}}}, {"scale", {DType::f16, {}}}};
  for (const int64_t opset : {17, 19, 23, 28})
    EXPECT_EQ(written(node("q", "quantize_linear"), halves, opset), (Names{"Cast", "Cast", "QuantizeLinear"}));
  const Inputs bytes{{"x", {DType::i8, {2, 3}}}, {"scale", {DType::f16, {}}}};
  for (const int64_t opset : {17, 28})
    EXPECT_EQ(written(node("d", "dequantize_linear"), bytes, opset), (Names{"Cast", "DequantizeLinear", "Cast"}));
}

}  // namespace
}  // namespace hw::test
