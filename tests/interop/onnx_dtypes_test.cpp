// Dtypes in exported models: what opset 17 has, and casts that stop at the ends of a dtype.
#include <gmock/gmock.h>

#include "app/interop/onnx/export_graph.h"
#include "engine/core/codes.h"
#include "tests/engine/graph_builder.h"
#include "tests/interop/onnx_models.h"

namespace hw::test {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<double>;

/// y of this node alone, on Inputs for its sockets.
Result<interop::ExportedModel> exported(const Node& tried,
                                        const std::map<std::string, std::pair<DType, Dims>>& inputs) {
  Edits edits{AddNode{tried}};
  for (const auto& [socket, input] : inputs) {
    const std::vector<double> shape(input.second.begin(), input.second.end());
    edits.push_back(AddNode{node(socket, "input",
                                 {{"shape", shape},
                                  {"axes", std::string()},
                                  {"symbolic", std::string()},
                                  {"dtype", std::string(name(input.first))}})});
    edits.push_back(AddLink{link(socket + ".y", tried.id + "." + socket)});
  }
  FileAssets assets("");
  return interop::export_graph(built(edits), {{"result", {tried.id, "y"}}}, nullptr, assets);
}

std::vector<std::string> operators_of(const interop::OnnxModel& model) {
  std::vector<std::string> all;
  for (const interop::OnnxNode& n : model.graph.nodes) all.push_back(n.op);
  return all;
}

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

TEST(OnnxDtypes, IndicesAreOfThoseThatTheOpsetHas) {
  const auto model = exported(node("taken", "gather"), {{"x", {DType::f32, {4, 2}}}, {"index", {DType::u8, {3}}}});
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(operators_of(*model), (std::vector<std::string>{"Cast", "Gather"}));
}

}  // namespace
}  // namespace hw::test
