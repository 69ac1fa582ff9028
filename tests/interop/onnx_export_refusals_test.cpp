// What is in the way of an export: each node of it, found without making the weights.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "engine/core/codes.h"
#include "tests/interop/exported_node.h"

namespace hw::test::onnx_export_refusals_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

std::vector<Error> refused(const Graph& graph, const SocketRef& output, int64_t opset,
                           const Weights* weights = nullptr) {
  FileAssets assets("");
  return interop::export_refusals(graph, {{"y", output}}, weights, assets, {.opset = opset});
}

Names nodes_of(const std::vector<Error>& errors) {
  Names nodes;
  for (const Error& error : errors) nodes.push_back(error.where);
  return nodes;
}

Node cast(const std::string& id, const char* to) {
  return node(id, "cast", {{"to", std::string(to)}});
}

/// In bytes, of the process up to now.
size_t most_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

TEST(OnnxExportRefusals, WhatReadsARefusedNodeIsNamedForItsDtype) {
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", Values{2, 3}}})}, AddNode{cast("narrow", "f8e4m3")},
             AddNode{node("turned", "transpose")}, AddNode{cast("wide", "f32")}, AddNode{node("relu", "relu")},
             AddLink{link("x.y", "narrow.x")}, AddLink{link("narrow.y", "turned.x")},
             AddLink{link("turned.y", "wide.x")}, AddLink{link("wide.y", "relu.x")}});
  EXPECT_THAT(nodes_of(refused(graph, {"relu", "y"}, 17)), ElementsAre("narrow", "turned", "wide"));
  EXPECT_THAT(nodes_of(refused(graph, {"relu", "y"}, 19)), ElementsAre("turned")) << "the others are there from 19 on";
  EXPECT_THAT(nodes_of(refused(graph, {"relu", "y"}, 21)), ElementsAre());
}

TEST(OnnxExportRefusals, InputsAndConstantsAreNamedAmongTheOthers) {
  const ParamMap narrow{{"shape", Values{2, 3}}, {"dtype", std::string("f8e4m3")}};
  ParamMap numbers = narrow;
  numbers["values"] = Values{1, 2, 3, 4, 5, 6};
  const Graph graph =
      built({AddNode{node("x", "input", narrow)}, AddNode{cast("a", "f32")},
             AddNode{node("c", "tensor_constant", numbers)}, AddNode{cast("b", "f32")}, AddNode{node("sum", "add")},
             AddNode{node("f", "spherical_harmonics")}, AddLink{link("x.y", "a.x")}, AddLink{link("c.y", "b.x")},
             AddLink{link("a.y", "sum.a")}, AddLink{link("b.y", "sum.b")}, AddLink{link("sum.y", "f.x")}});
  const auto errors = refused(graph, {"f", "features"}, 17);
  EXPECT_THAT(nodes_of(errors), ::testing::UnorderedElementsAre("x", "a", "c", "b", "f"));
  for (const Error& error : errors) {
    EXPECT_EQ(error.code, codes::unsupported);
    EXPECT_FALSE(error.remedy.empty()) << error.where;
    if (error.where != "f") {
      EXPECT_THAT(error.reason, HasSubstr("opset 17 has no ")) << error.where;
    }
  }
  EXPECT_THAT(nodes_of(refused(graph, {"f", "features"}, 19)), ElementsAre("f"));
}

TEST(OnnxExportRefusals, NoParametersAreMadeToLook) {
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", Values{2, 3, 16384}}, {"axes", std::string("N T C")}})},
             AddNode{node("wide", "linear", {{"out_features", int64_t{8192}}})}, AddNode{node("relu", "relu")},
             AddLink{link("x.y", "wide.x")}, AddLink{link("wide.y", "relu.x")}});  // 512 MiB of weights
  const size_t before = most_memory();
  EXPECT_THAT(nodes_of(refused(graph, {"relu", "y"}, 17)), ElementsAre());
  EXPECT_LT(most_memory() - before, size_t{256} << 20);
}

TEST(OnnxExportRefusals, WeightsOfAnotherGraphAreInTheWay) {
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", Values{2, 3}}})},
             AddNode{node("fc", "linear", {{"out_features", int64_t{4}}})}, AddLink{link("x.y", "fc.x")}});
  Weights weights{{"fc.weight", Tensor::zeros(DType::f32, {4, 3})}, {"fc.bias", Tensor::zeros(DType::f32, {4})}};
  EXPECT_TRUE(refused(graph, {"fc", "y"}, 17, &weights).empty());
  weights["fc.bias"] = Tensor::zeros(DType::f32, {5});
  EXPECT_THAT(nodes_of(refused(graph, {"fc", "y"}, 17, &weights)), ElementsAre("fc.bias"));
  weights.erase("fc.bias");
  const auto errors = refused(graph, {"fc", "y"}, 17, &weights);
  ASSERT_THAT(nodes_of(errors), ElementsAre("fc.bias"));
  EXPECT_EQ(errors[0].code, codes::weights_mismatch);
}

}  // namespace
}  // namespace hw::test::onnx_export_refusals_test
