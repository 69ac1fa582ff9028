// What trains of an imported model: biases, tables and lone weights, as in the tool that it comes from.
#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>

#include <array>

#include "app/interop/onnx/group_scopes.h"
#include "engine/graph/weights/fit_weights.h"
#include "engine/graph/weights/foreign_names.h"
#include "tests/interop/onnx_models.h"

namespace hw::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Values = std::vector<double>;

const Node* of_type(const interop::ImportedModel& model, const std::string& type) {
  for (const auto& [id, node] : model.graph.nodes())
    if (node.type == type) return &node;
  return nullptr;
}

bool trains(const Node& node) {
  return std::get<bool>(param_value(node, "trainable"));
}

/// x [1, 2, 2] · w + b: a Linear of three axes, as PyTorch exports it. `more` also reads the product.
onnx::ModelProto linear(bool more) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 2, 2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "onnx::MatMul_7", {2, 2}, {1, 2, 3, 4});
  add_floats(model, "query.bias", {2}, {10, 20});
  add_node(model, "MatMul", {"x", "onnx::MatMul_7"}, {"m"});
  add_node(model, "Add", {"query.bias", "m"}, {more ? "a" : "y"});
  if (more) add_node(model, "Add", {"a", "m"}, {"y"});
  return model;
}

TEST(OnnxTrainable, ABiasJoinsItsLinear) {
  const auto made = imported(linear(false));
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(made->nodes.size(), 2u) << "the Input and the Linear";
  const Node* layer = of_type(*made, "linear");
  ASSERT_TRUE(layer);
  EXPECT_EQ(layer->name, "query") << "as its bias";
  EXPECT_EQ(values_of(*made, floats({1, 2, 2}, {1, 0, 0, 1})), (Values{11, 22, 13, 24}));
}

TEST(OnnxTrainable, AProductThatOthersReadKeepsToItself) {
  const auto made = imported(linear(true));
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(values_of(*made, floats({1, 2, 2}, {1, 0, 0, 1})), (Values{12, 24, 16, 28}));
  const Node* bias = of_type(*made, "parameter");
  ASSERT_TRUE(bias);
  EXPECT_TRUE(trains(*bias));
}

TEST(OnnxTrainable, TablesTrainAndMasksDoNot) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2}, onnx::TensorProto::INT64);
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  std::vector<float> table(4 * 2), mask(2 * 40, -1.0f);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i);
  add_floats(model, "embed.weight", {4, 2}, table);
  add_floats(model, "places.weight", {4, 2}, table);
  add_floats(model, "attn.causal_mask", {2, 40}, mask);
  add_integers(model, "first", {0, 1});
  add_node(model, "Gather", {"embed.weight", "x"}, {"e"});
  add_node(model, "Gather", {"places.weight", "first"}, {"p"});
  add_node(model, "Add", {"e", "p"}, {"sum"});
  set_int(add_node(model, "Concat", {"sum", "attn.causal_mask"}, {"y"}), "axis", 1);
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  size_t training = 0, frozen = 0;
  for (const auto& [id, node] : made->graph.nodes())
    if (node.type == "parameter") ++(trains(node) ? training : frozen);
  EXPECT_EQ(training, 2u) << "rows at constant places, too, are a Gather of the table";
  EXPECT_EQ(frozen, 1u);
  EXPECT_THAT(made->notes, Contains(HasSubstr("attn.causal_mask")));
  EXPECT_THAT(made->notes, Not(Contains(HasSubstr("embed.weight"))));
  const Values y = values_of(*made, Tensor::from_f64(DType::i64, {2}, {{3, -4}}));
  EXPECT_EQ(Values(y.begin(), y.begin() + 2), (Values{6, 8}));
  EXPECT_EQ(Values(y.begin() + 42, y.begin() + 44), (Values{2, 4})) << "an index from the end";
}

TEST(OnnxTrainable, ATableThatTheHeadSharesStaysOne) {
  for (const std::string op : {"MatMul", "Gemm"}) {
    onnx::ModelProto model = onnx_model();
    add_value(*model.mutable_graph()->mutable_input(), "x", {3}, onnx::TensorProto::INT64);
    add_value(*model.mutable_graph()->mutable_output(), "y", {});
    add_floats(model, "wte.weight", {3, 2}, {1, 2, 3, 4, 5, 6});
    add_floats(model, "head", {2, 3}, {1, 3, 5, 2, 4, 6});
    add_node(model, "Gather", {"wte.weight", "x"}, {"e"});
    onnx::NodeProto& head = add_node(model, op, {"e", op == "MatMul" ? "head" : "wte.weight"}, {"y"});
    if (op == "Gemm") set_int(head, "transB", 1);
    const auto made = imported(model);
    ASSERT_TRUE(made && made->missing.empty());
    EXPECT_EQ(made->weights.size(), 1u);
    EXPECT_FALSE(of_type(*made, "linear"));
    EXPECT_TRUE(made->untied_weights.empty());
    EXPECT_EQ(values_of(*made, Tensor::from_f64(DType::i64, {3}, {{0, 0, 1}})),
              (Values{5, 11, 17, 5, 11, 17, 11, 25, 39}));
  }
}

// A Linear has the weight turned, the Parameter as it lies; the file of weights has it once, or each trained one.
TEST(OnnxTrainable, AWeightThatAProductAndASumReadComesBackFromItsFile) {
  for (const std::string op : {"MatMul", "Gemm"})
    for (const bool sum_first : {false, true}) {
      onnx::ModelProto model = onnx_model();
      add_value(*model.mutable_graph()->mutable_input(), "x", {2, 2});
      add_value(*model.mutable_graph()->mutable_output(), "y", {});
      add_floats(model, "net.kernel", {2, 2}, {1, 2, 3, 4});
      if (sum_first) add_node(model, "Add", {"x", "net.kernel"}, {"sum"});
      add_node(model, op, {sum_first ? "sum" : "x", "net.kernel"}, {sum_first ? "y" : "product"});
      if (!sum_first) add_node(model, "Add", {"product", "net.kernel"}, {"y"});
      const auto made = imported(model);
      ASSERT_TRUE(made && made->missing.empty());
      EXPECT_EQ(values_of(*made, floats({2, 2}, {1, 0, 0, 1})),
                sum_first ? (Values{8, 12, 18, 26}) : (Values{2, 4, 6, 8}));
      Validator validator;
      validator.reset(made->graph);
      const FittedWeights fitted = fit_weights(made->graph, validator, with_foreign_names(made->graph, made->weights));
      ASSERT_TRUE(fitted.problems.empty()) << op << as_error(fitted.problems).text();
      ASSERT_EQ(fitted.tensors.size(), sum_first ? 1u : 2u) << "one Parameter, where it is there before the product";
      ASSERT_EQ(fitted.tensors.size(), made->weights.size());
      for (const auto& [name, tensor] : made->weights)
        EXPECT_EQ(fitted.tensors.at(name).to_f64(), tensor.to_f64()) << op << name;
    }
}

// The second Linear is called as the tensor is, the first has it turned: each is in the file of weights.
TEST(OnnxTrainable, AWeightThatTwoProductsReadEachWayComesBackFromItsFile) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2, 2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "net.weight", {2, 2}, {1, 2, 3, 4});
  add_node(model, "MatMul", {"x", "net.weight"}, {"first"});
  set_int(add_node(model, "Gemm", {"x", "net.weight"}, {"second"}), "transB", 1);
  add_node(model, "Add", {"first", "second"}, {"y"});
  auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(values_of(*made, floats({2, 2}, {1, 0, 0, 1})), (Values{2, 5, 5, 8}));
  for (const bool grouped : {false, true}) {
    if (grouped) *made = interop::with_groups(std::move(*made));
    Validator validator;
    validator.reset(made->graph);
    const FittedWeights fitted = fit_weights(made->graph, validator, with_foreign_names(made->graph, made->weights));
    ASSERT_TRUE(fitted.problems.empty()) << as_error(fitted.problems).text();
    ASSERT_EQ(fitted.tensors.size(), 2u);
    for (const auto& [name, tensor] : made->weights)
      EXPECT_EQ(fitted.tensors.at(name).to_f64(), tensor.to_f64()) << name;
  }
}

/// x times `op` of a weight v and a factor g, both of which train.
onnx::ModelProto of_a_product(const std::string& op, const std::vector<int64_t>& x, const std::vector<int64_t>& v) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", x);
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "layer.v", v, {1, 2, 3, 4});
  add_floats(model, "layer.g", {1}, {2});
  add_node(model, "Mul", {"layer.v", "layer.g"}, {"w"});
  add_node(model, op, {"x", "w"}, {"y"});
  return model;
}

TEST(OnnxTrainable, AWeightThatIsComputedTrainsBehindTheComputation) {
  const auto made = imported(of_a_product("MatMul", {1, 2}, {2, 2}));
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_FALSE(of_type(*made, "linear"));
  EXPECT_EQ(made->weights.size(), 2u);
  EXPECT_EQ(values_of(*made, floats({1, 2}, {1, 1})), (Values{8, 12}));
}

TEST(OnnxTrainable, WhatALayerTakesAsItsWeightLeavesNoNodesBehind) {
  const auto made = imported(of_a_product("Conv", {1, 1, 2, 2}, {1, 1, 2, 2}));
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(made->nodes.size(), 2u) << "the Input and the Conv";
  EXPECT_EQ(values_of(*made, floats({1, 1, 2, 2}, {1, 1, 1, 1})), (Values{20}));
}

TEST(OnnxTrainable, AModuleThatIsUsedTwiceHasItsWeightsOnce) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "n.weight", {2}, {1, 1});
  add_floats(model, "n.bias", {2}, {0, 0});
  add_node(model, "LayerNormalization", {"x", "n.weight", "n.bias"}, {"a"}).set_name("/n/LayerNormalization");
  add_node(model, "LayerNormalization", {"a", "n.weight", "n.bias"}, {"b"}).set_name("/n_1/LayerNormalization");
  add_node(model, "LayerNormalization", {"b", "n.weight", "n.bias"}, {"y"}).set_name("/m/LayerNormalization");
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(made->weights.size(), 4u) << "another module's ones are its own, although they are stored once";
}

TEST(OnnxTrainable, NumbersThatStandWhereNoWeightIsDoNotTrain) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 2, 4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "/gn/Constant_output_0", {2}, {1, 1});
  add_floats(model, "/gn/Constant_1_output_0", {2}, {0, 0});
  add_node(model, "InstanceNormalization", {"x", "/gn/Constant_output_0", "/gn/Constant_1_output_0"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_TRUE(made->weights.empty());
}

// A module whose weight is [in, out], as GPT-2's Conv1D: its file goes on fitting, square or not.
TEST(OnnxTrainable, AWeightThatLiesTheOtherWayKeepsItsName) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "attn.c_attn.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  add_floats(model, "attn.c_attn.bias", {3}, {0, 0, 0});
  add_floats(model, "attn.c_proj.weight", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  add_floats(model, "attn.c_proj.bias", {3}, {1, 1, 1});
  add_node(model, "Gemm", {"x", "attn.c_attn.weight", "attn.c_attn.bias"}, {"a"});
  add_node(model, "MatMul", {"a", "attn.c_proj.weight"}, {"p"});
  add_node(model, "Add", {"p", "attn.c_proj.bias"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  const auto file = with_foreign_names(made->graph, made->weights);
  ASSERT_EQ(file.size(), 4u);
  for (const auto& initializer : model.graph().initializer()) ASSERT_TRUE(file.contains(initializer.name()));
  EXPECT_EQ(file.at("attn.c_attn.weight").to_f64(), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(file.at("attn.c_proj.weight").to_f64(), (Values{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// PyTorch's exporter writes down which tensors are parameters, whatever their names.
TEST(OnnxTrainable, WhatTheFileCallsParametersTrainsAndNothingElse) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "row", {2}, {1, 2});
  add_floats(model, "scale.weight", {2}, {3, 4});
  add_node(model, "Mul", {"x", "scale.weight"}, {"a"});
  add_node(model, "Add", {"a", "row"}, {"y"});
  onnx::StringStringEntryProto entry;
  entry.set_key("pkg.torch.export.ExportedProgram.graph_signature");
  entry.set_value("\n# inputs\np_row: PARAMETER target='row'\nb_scale: BUFFER target='scale.weight' persistent=True\n");
  model.mutable_graph()->mutable_unknown_fields()->AddLengthDelimited(16, entry.SerializeAsString());
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  const Node* parameter = of_type(*made, "parameter");
  ASSERT_TRUE(parameter);
  EXPECT_EQ(made->weights.size(), 1u);
  EXPECT_EQ(made->graph.weight_names.at(parameter->id + ".value"), "row");
}

/// Two Linears that read one weight, in modules a and b; `parameters`: those that the file says there are.
onnx::ModelProto copies(const std::vector<std::string>& parameters) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "a.weight", {2, 2}, {1, 2, 3, 4});
  for (const auto& [module, from, to] : {std::array{"a", "x", "h"}, {"b", "h", "y"}}) {
    onnx::NodeProto& gemm = add_node(model, "Gemm", {from, "a.weight"}, {to});
    set_int(gemm, "transB", 1);
    onnx::StringStringEntryProto entry;
    entry.set_key("pkg.torch.onnx.name_scopes");
    entry.set_value("['', '" + std::string(module) + "', 'linear']");
    gemm.mutable_unknown_fields()->AddLengthDelimited(9, entry.SerializeAsString());
  }
  std::string signature;
  for (const std::string& name : parameters) signature += "p: PARAMETER target='" + name + "'\n";
  onnx::StringStringEntryProto entry;
  entry.set_key("pkg.torch.export.ExportedProgram.graph_signature");
  entry.set_value(signature);
  model.mutable_graph()->mutable_unknown_fields()->AddLengthDelimited(16, entry.SerializeAsString());
  return model;
}

// Fresh copies, as those of nn.TransformerEncoder, are equal, and exporters write them once.
TEST(OnnxTrainable, EqualWeightsOfDifferentModulesStayApart) {
  const auto apart = imported(copies({"a.weight", "b.weight"}));
  ASSERT_TRUE(apart && apart->missing.empty());
  EXPECT_EQ(apart->weights.size(), 2u);
  const auto names = with_foreign_names(apart->graph, apart->weights);
  EXPECT_TRUE(names.contains("a.weight") && names.contains("b.weight"));
  const auto shared = imported(copies({"a.weight"}));
  ASSERT_TRUE(shared && shared->missing.empty());
  EXPECT_EQ(shared->weights.size(), 1u) << "b has no weight of its own";
}

TEST(OnnxTrainable, ABufferIsNoBias) {
  onnx::ModelProto model = linear(false);
  onnx::StringStringEntryProto entry;
  entry.set_key("pkg.torch.export.ExportedProgram.graph_signature");
  entry.set_value("p: PARAMETER target='query.weight'\nb: BUFFER target='query.bias' persistent=True\n");
  model.mutable_graph()->mutable_unknown_fields()->AddLengthDelimited(16, entry.SerializeAsString());
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  const Node* layer = of_type(*made, "linear");
  ASSERT_TRUE(layer);
  EXPECT_FALSE(std::get<bool>(param_value(*layer, "bias")));
}

}  // namespace
}  // namespace hw::test
