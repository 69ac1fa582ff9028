// Graphs as models of ONNX: they come back the same, symbolic axes stay so, what cannot be said is refused.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "app/interop/onnx/export_graph.h"
#include "engine/core/codes.h"
#include "tests/engine/graph_builder.h"
#include "tests/interop/exported_node.h"
#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_export_test {
namespace {

using interop::read_onnx;
using ::testing::HasSubstr;

std::vector<std::string> types_of(const Graph& graph) {
  std::vector<std::string> types;
  for (const auto& [id, node] : graph.nodes()) types.push_back(node.type);
  std::sort(types.begin(), types.end());
  return types;
}

TEST(OnnxExport, WhatWasImportedComesBackTheSame) {
  const auto first = imported(small_network());
  ASSERT_TRUE(first) << first.error().text();
  FileAssets assets("");
  const auto exported = interop::export_graph(first->graph, first->outputs, &first->weights, assets);
  ASSERT_TRUE(exported) << exported.error().text();
  std::vector<std::string> operators;
  for (const interop::OnnxNode& node : exported->graph.nodes) operators.push_back(node.op);
  EXPECT_EQ(operators, (std::vector<std::string>{"Conv", "Relu", "Reshape", "Gemm"}));
  EXPECT_EQ(exported->graph.inputs.at(0).name, "x");
  EXPECT_EQ(exported->graph.inputs[0].dims->at(0).symbol, "batch");
  EXPECT_EQ(exported->graph.outputs.at(0).name, "y");
  const TempFolder folder;
  ASSERT_TRUE(interop::write_onnx(*exported, folder / "again.onnx"));
  const auto read = read_onnx(folder / "again.onnx");
  ASSERT_TRUE(read) << read.error().text();
  const auto second = interop::import_graph(*read);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_TRUE(second->missing.empty());
  EXPECT_EQ(types_of(second->graph), types_of(first->graph));
  const Tensor x = floats({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(values_of(*second, x), values_of(*first, x));
}

/// x [batch, 4, 2, 3] → heads of 2 × 2 channels, their mean, a scale → Flatten → Gemm: y [batch, 2].
onnx::ModelProto heads_network() {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {-1, 4, 2, 3});
  add_value(*model.mutable_graph()->mutable_output(), "y", {-1, 2});
  add_integers(model, "heads", {0, 2, 2, -1});
  add_integers(model, "shape", {-1, 4, 6});
  add_integers(model, "wide", {1, 4, 6});
  add_floats(model, "scale", {1}, {2});
  add_floats(model, "w", {24, 2}, [] {
    std::vector<float> values(48);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3;
    return values;
  }());
  add_node(model, "Reshape", {"x", "heads"}, {"h"});
  set_ints(add_node(model, "ReduceMean", {"h"}, {"m"}), "axes", {3});
  add_node(model, "Sub", {"h", "m"}, {"d"});
  add_node(model, "Reshape", {"d", "shape"}, {"r"});
  add_node(model, "Expand", {"scale", "wide"}, {"e"});
  add_node(model, "Mul", {"r", "e"}, {"p"});
  add_node(model, "Flatten", {"p"}, {"f"});
  add_node(model, "Gemm", {"f", "w"}, {"y"});
  return model;
}

TEST(OnnxExport, SymbolicAxesStaySo) {
  for (const auto& model : {small_network(), heads_network()}) {
    const auto first = imported(model);
    ASSERT_TRUE(first) << first.error().text();
    ASSERT_TRUE(first->missing.empty()) << first->missing.front().reason;
    FileAssets assets("");
    const auto exported = interop::export_graph(first->graph, first->outputs, &first->weights, assets);
    ASSERT_TRUE(exported) << exported.error().text();
    EXPECT_TRUE(exported->fixed.empty()) << exported->fixed.front().because;
    EXPECT_EQ(exported->graph.outputs.at(0).dims->at(0).symbol, "batch");
    EXPECT_EQ(exported->graph.outputs[0].dims->at(0).size, -1);
    EXPECT_EQ(exported->graph.outputs[0].dims->at(1).size, 2);
    const auto second = interop::import_graph(*exported);
    ASSERT_TRUE(second) << second.error().text();
    EXPECT_TRUE(second->missing.empty());
    EXPECT_EQ(second->fixed_because, "");
    for (const int64_t batch : {1, 2, 5}) {
      Dims dims{batch};
      for (size_t d = 1; d < exported->graph.inputs[0].dims->size(); ++d)
        dims.push_back(exported->graph.inputs[0].dims->at(d).size);
      std::vector<float> numbers(static_cast<size_t>(element_count(dims)));
      for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 5 % 23);
      const std::vector<double> made = values_of(*second, floats(dims, numbers));
      EXPECT_EQ(made.size(), static_cast<size_t>(2 * batch));
      EXPECT_EQ(made, values_of(*first, floats(dims, numbers)));
    }
  }
}

/// x [N, C] → Reshape to `shape`, exported.
Result<interop::ExportedModel> exported_reshape(const std::string& symbolic, const std::vector<double>& shape) {
  Graph graph;
  const std::vector<double> sizes{2, 6};
  EXPECT_TRUE(apply_edits(
      graph, {AddNode{node("x", "input", {{"shape", sizes}, {"axes", std::string("N C")}, {"symbolic", symbolic}})},
              AddNode{node("flat", "reshape", {{"shape", shape}})}, AddLink{link("x.y", "flat.x")}}));
  FileAssets assets("");
  return interop::export_graph(graph, {{"y", {"flat", "y"}}}, nullptr, assets);
}

TEST(OnnxExport, AnAxisWhoseSizeANodeWantsIsFixedAndSaid) {
  const auto open = exported_reshape("N", {-1, 2, 3});
  ASSERT_TRUE(open) << open.error().text();
  EXPECT_TRUE(open->fixed.empty());
  const auto baked = exported_reshape("N", {2, 2, 3});
  ASSERT_TRUE(baked) << baked.error().text();
  ASSERT_EQ(baked->fixed.size(), 1u);
  EXPECT_EQ(baked->fixed[0].axis, "N");
  EXPECT_THAT(baked->fixed[0].because, HasSubstr("flat"));
  EXPECT_EQ(baked->graph.inputs.at(0).dims->at(0).size, 2);
  const auto one = exported_reshape("N C", {-1, 2, 3});
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_TRUE(one->fixed.empty()) << "12 elements or more follow from N · C";
  const auto half = exported_reshape("N C", {2, 3, -1});
  ASSERT_TRUE(half) << half.error().text();
  EXPECT_EQ(half->graph.inputs.at(0).dims->at(1).symbol, "C");
}

// Every node type with a rule, on its own examples: what comes back computes the same.
struct Way {
  bool symbolic;  // the first axis of each input
  int64_t opset;
};
class OnnxExportOfTypes : public ::testing::TestWithParam<Way> {};

TEST_P(OnnxExportOfTypes, EveryTypeComesBackWithItsValues) {
  size_t types = 0;
  for (const auto& [id, type] : Registry::instance().all()) {
    if (type.decl.role() != Role::compute || type.decl.is_random()) continue;
    for (const Example& example : type.examples()) {
      Graph graph;
      Edits edits{AddNode{node("tried", id, example.params)}};
      bool tensors = !type.decl.outputs().empty() || type.sockets;
      for (const ExampleInput& input : example.inputs) {
        std::vector<double> shape(input.dims.begin(), input.dims.end());
        if (input.dims.empty() || input.made_of) tensors = false;
        std::string axes;
        for (size_t d = 0; d < shape.size(); ++d) axes += (d == 0 ? "N" : std::string(" ") + "abcdefgh"[d]);
        edits.push_back(AddNode{node("in_" + input.socket, "input",
                                     {{"shape", shape},
                                      {"axes", GetParam().symbolic ? axes : ""},
                                      {"symbolic", std::string(GetParam().symbolic ? "N" : "")},
                                      {"dtype", std::string(name(input.dtype))}})});
        edits.push_back(AddLink{link("in_" + input.socket + ".y", "tried." + input.socket)});
      }
      if (!tensors || !apply_edits(graph, edits)) continue;
      const Declaration declared = type.declared(graph.find("tried")->params);
      for (const SocketDecl& made : declared->outputs()) {
        const SocketRef output{"tried", made.id};
        FileAssets assets("");
        const auto exported =
            interop::export_graph(graph, {{"result", output}}, nullptr, assets, {.opset = GetParam().opset});
        if (!exported) continue;  // no rule, or one that says why
        const auto back = interop::import_graph(*exported);
        ASSERT_TRUE(back) << id << ": " << back.error().text();
        // A symbolic size may not be the 1 that an import begins with.
        if (GetParam().symbolic && (!back->missing.empty() || !back->fixed_because.empty())) continue;
        ASSERT_TRUE(back->missing.empty()) << id << ": " << back->missing.front().reason;
        ++types;
        // Both on the ref device with the same inputs.
        LowerOptions here, there;
        std::map<std::string, Tensor> given;
        for (const ExampleInput& input : example.inputs) {
          std::vector<double> numbers;
          for (int64_t i = 0; i < element_count(input.dims); ++i)
            numbers.push_back(input.lo + (input.hi - input.lo) * static_cast<double>((i * 7 + 3) % 17) / 17);
          given[input.socket] = Tensor::from_f64(input.dtype, input.dims, numbers);
          if (input.dtype == DType::i64 || input.dtype == DType::i32)
            given[input.socket] = Tensor::from_f64(input.dtype, input.dims, numbers).to(DType::i64).to(input.dtype);
          here.bindings[{"in_" + input.socket, "y"}] = given[input.socket];
          if (const auto found = back->inputs.find("in_" + input.socket); found != back->inputs.end())
            there.bindings[{found->second, "y"}] = given[input.socket];
        }
        const std::vector<double> a = on_ref(graph, output, here, nullptr),
                                  b = on_ref(back->graph, back->outputs.front().second, there, &back->weights);
        ASSERT_EQ(a.size(), b.size()) << id;
        for (size_t i = 0; i < a.size(); ++i) {
          if (std::isnan(a[i]) && std::isnan(b[i])) continue;
          ASSERT_NEAR(a[i], b[i], 1e-5 * (1 + std::abs(a[i]))) << id << " " << example.name << " at " << i;
        }
      }
    }
  }
  EXPECT_GT(types, 100u);
}

INSTANTIATE_TEST_SUITE_P(Ways, OnnxExportOfTypes,
                         ::testing::Values(Way{false, 17}, Way{true, 17}, Way{false, 18}, Way{false, 20},
                                           Way{false, 21}, Way{false, 23}, Way{false, 24}, Way{false, 28},
                                           Way{true, 28}));

TEST(OnnxExport, TwoValuesOfOneNameAreRefused) {
  Node a = node("a", "input", {{"shape", std::vector<double>{4, 3}}}), b = a;
  b.id = "b";
  a.name = b.name = "x";
  const Graph graph = built({AddNode{a}, AddNode{b}, AddNode{node("sum", "add")}, AddLink{link("a.y", "sum.a")},
                             AddLink{link("b.y", "sum.b")}});
  FileAssets assets("");
  const auto exported = interop::export_graph(graph, {{"y", {"sum", "y"}}}, nullptr, assets);
  ASSERT_FALSE(exported);
  EXPECT_EQ(exported.error().where, "x");
}

TEST(OnnxExport, ANodeThatOnnxHasNotIsNamed) {
  Graph graph;
  ASSERT_TRUE(
      apply_edits(graph, {AddNode{node("x", "input", {{"shape", std::vector<double>{4, 3}}})},
                          AddNode{node("harmonics", "spherical_harmonics")}, AddLink{link("x.y", "harmonics.x")}}));
  FileAssets assets("");
  const auto exported = interop::export_graph(graph, {{"y", {"harmonics", "features"}}}, nullptr, assets);
  ASSERT_FALSE(exported);
  EXPECT_EQ(exported.error().where, "harmonics");
  EXPECT_EQ(exported.error().code, codes::unsupported);
}

TEST(OnnxExport, AFileIsNotLargerThanProtobufReads) {
  Graph graph;
  ASSERT_TRUE(apply_edits(graph, {AddNode{node("x", "input", {{"shape", std::vector<double>{4, 3}}})},
                                  AddNode{node("relu", "relu")}, AddLink{link("x.y", "relu.x")}}));
  FileAssets assets("");
  const auto exported = interop::export_graph(graph, {{"y", {"relu", "y"}}}, nullptr, assets);
  ASSERT_TRUE(exported) << exported.error().text();
  const TempFolder folder;
  const Status written = interop::write_onnx(*exported, folder / "m.onnx", 20);
  ASSERT_FALSE(written) << "its operators alone are larger";
  EXPECT_EQ(written.error().code, codes::file_unwritable);
  EXPECT_FALSE(std::filesystem::exists(folder / "m.onnx"));
}

}  // namespace
}  // namespace hw::test::onnx_export_test
