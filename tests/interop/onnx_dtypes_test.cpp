// Dtypes in exported models: what opset 17 has, and casts that stop at the ends of a dtype.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "tests/interop/exported_node.h"
#include "tests/interop/onnx_models.h"

namespace hw::test {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<double>;

TEST(OnnxDtypes, CastsStopWhereOursDo) {
  using Names = std::vector<std::string>;
  const auto cast = [](DType from, const char* to, bool saturates) {
    return exported(node("cast", "cast", {{"to", std::string(to)}, {"saturate", saturates}}), {{"x", {from, {3}}}});
  };
  const auto check = [&](DType from, const char* to, bool saturates, const Names& operators, const Values& x,
                         const Values& y) {
    const auto model = cast(from, to, saturates);
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_EQ(operators_of(*model), operators);
    const auto back = interop::import_graph(*model);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(values_of(*back, Tensor::from_f64(from, {3}, x)), y) << name(from) << " to " << to;
  };
  check(DType::f32, "f16", true, {"Clip", "Cast"}, {1, 1e6, -1e6}, {1, 65504, -65504});
  check(DType::f32, "f16", false, {"Cast"}, {1, 2, 3}, {1, 2, 3});
  check(DType::i64, "i32", false, {"Clip", "Cast"}, {7, 3e9, -3e9}, {7, 2147483647, -2147483648.0});
  check(DType::i8, "u8", false, {"Clip", "Cast"}, {7, -3, 127}, {7, 0, 127});
  check(DType::u8, "i32", false, {"Cast"}, {7, 3, 255}, {7, 3, 255});
  check(DType::f32, "u8", false, {"Clip", "Cast"}, {7.5, 300, -3}, {7, 255, 0});
  check(DType::f32, "i32", false, {"Cast", "Clip", "Cast"}, {7.5, 3e9, -3e9}, {7, 2147483647, -2147483648.0});
  check(DType::f32, "i64", false, {"Cast"}, {7.5, 3e9, -3e9}, {7, 3e9, -3e9});
  const auto widened = cast(DType::f16, "f32", true);
  ASSERT_FALSE(widened);
  EXPECT_THAT(widened.error().reason, HasSubstr("infinite"));
}

TEST(OnnxDtypes, WhatTheOpsetHasNotForADtypeIsRefused) {
  const Node pool = node("pool", "max_pool", {{"kernel_size", Values{2}}});
  const auto bf16 = exported(pool, {{"x", {DType::bf16, {1, 1, 4, 4}}}});
  ASSERT_FALSE(bf16);
  EXPECT_EQ(bf16.error().code, codes::unsupported);
  EXPECT_EQ(bf16.error().where, "pool");
  EXPECT_THAT(bf16.error().reason, HasSubstr("no MaxPool of bf16"));
  EXPECT_TRUE(exported(pool, {{"x", {DType::f16, {1, 1, 4, 4}}}}));
  // The Sin is of what a Cast makes.
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", Values{4, 3}}})},
             AddNode{node("narrow", "cast", {{"to", std::string("bf16")}})}, AddNode{node("sin", "sin")},
             AddLink{link("x.y", "narrow.x")}, AddLink{link("narrow.y", "sin.x")}});
  FileAssets assets("");
  const auto sin = interop::export_graph(graph, {{"result", {"sin", "y"}}}, nullptr, assets);
  ASSERT_FALSE(sin);
  EXPECT_EQ(sin.error().where, "sin");
}

TEST(OnnxDtypes, WeightsThatAreStoredNarrowAreCast) {
  Node linear = node("f", "linear", {{"out_features", int64_t{2}}});
  const auto values = [&](const interop::OnnxModel& model) {
    const auto back = interop::import_graph(model);
    EXPECT_TRUE(back) << back.error().text();
    return back ? values_of(*back, Tensor::from_f64(DType::f32, {2, 3}, Values{1, -2, 3, 4, 0.5, 6})) : Values{};
  };
  const std::map<std::string, std::pair<DType, Dims>> inputs{{"x", {DType::f32, {2, 3}}}};
  for (const DType stored : {DType::bf16, DType::f8e4m3}) {
    linear.weights["weight"] = {stored, true, false};
    const auto cast = exported(linear, inputs, {.opset = 19});
    ASSERT_TRUE(cast) << cast.error().text();
    EXPECT_EQ(operators_of(*cast), (std::vector<std::string>{"Cast", "Gemm"}));
    EXPECT_EQ(cast->graph.initializers.at("f.weight").dtype(), stored);
    // Opset 17 has bf16, and no floats of 8 bits: f32 holds what they are.
    const auto old = exported(linear, inputs);
    ASSERT_TRUE(old) << old.error().text();
    EXPECT_EQ(operators_of(*old).size(), stored == DType::bf16 ? 2u : 1u);
    EXPECT_EQ(values(*old), values(*cast));
  }
  linear.weights["weight"] = {DType::bf16, true, false};
  // With three axes the matrix is transposed.
  const auto deep = exported(linear, {{"x", {DType::f32, {1, 2, 3}}}});
  ASSERT_TRUE(deep) << deep.error().text();
  EXPECT_EQ(deep->graph.initializers.at("f.weight_transposed").dtype(), DType::f32);
}

TEST(OnnxDtypes, IndicesAreOfThoseThatTheOpsetHas) {
  const auto model = exported(node("taken", "gather"), {{"x", {DType::f32, {4, 2}}}, {"index", {DType::u8, {3}}}});
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(operators_of(*model), (std::vector<std::string>{"Cast", "Gather"}));
}

}  // namespace
}  // namespace hw::test
