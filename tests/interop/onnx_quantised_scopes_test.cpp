// Pairs of QuantizeLinear and DequantizeLinear as one node, and groups whose constants differ.
#include <gmock/gmock.h>

#include "app/interop/onnx/group_scopes.h"
#include "app/interop/onnx/quantised_scopes.h"
#include "engine/graph/groups/flatten.h"
#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_quantised_scopes_test {
namespace {

using interop::ImportedModel;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Values = std::vector<double>;

/// x [4] → QDQ → Relu → QDQ: y, with these scales.
onnx::ModelProto two_pairs(float first, float second, int type = onnx::TensorProto::UINT8) {
  onnx::ModelProto model = onnx_model(21);
  add_value(*model.mutable_graph()->mutable_input(), "x", {4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {4});
  const auto pair = [&](const std::string& x, const std::string& y, const std::string& name, float scale) {
    add_floats(model, name + "_scale", {}, {scale});
    onnx::TensorProto& zero = *model.mutable_graph()->add_initializer();
    zero.set_name(name + "_zero");
    zero.set_data_type(type);
    zero.add_int32_data(3);
    add_node(model, "QuantizeLinear", {x, name + "_scale", name + "_zero"}, {name + "_q"}).set_name(name);
    add_node(model, "DequantizeLinear", {name + "_q", name + "_scale", name + "_zero"}, {y});
  };
  pair("x", "d", "first", first);
  add_node(model, "Relu", {"d"}, {"r"});
  pair("r", "y", "second", second);
  return model;
}

std::vector<const Node*> instances_of(const Graph& graph) {
  std::vector<const Node*> instances;
  for (const auto& [id, node] : graph.nodes())
    if (group_of(node)) instances.push_back(&node);
  return instances;
}

void expect_same_values(const ImportedModel& flat, ImportedModel grouped) {
  grouped.graph = flatten(grouped.graph);
  const Tensor x = Tensor::from_f64(DType::f32, {4}, Values{0.3, -0.4, 5.1, 1000});
  EXPECT_EQ(values_of(grouped, x), values_of(flat, x));
}

TEST(OnnxQuantisedScopes, PairsAreCollapsedInstancesWhoseScalesDiffer) {
  for (const auto& [type, title] :
       {std::pair(onnx::TensorProto::UINT8, "QDQ uint8"), std::pair(onnx::TensorProto::INT8, "QDQ int8"),
        std::pair(onnx::TensorProto::UINT16, "QDQ uint16")}) {
    const auto flat = imported(two_pairs(0.5f, 0.25f, type));
    ASSERT_TRUE(flat) << flat.error().text();
    const ImportedModel grouped = interop::with_groups(*flat);
    ASSERT_EQ(grouped.graph.groups().size(), 1u);
    const Group& group = *grouped.graph.groups().begin()->second;
    EXPECT_EQ(group.title, title);
    ASSERT_EQ(group.params.size(), 2u);
    EXPECT_EQ(group.params.front().label, "Scale");
    const auto instances = instances_of(grouped.graph);
    ASSERT_EQ(instances.size(), 2u);
    EXPECT_TRUE(instances[0]->collapsed && instances[1]->collapsed);
    EXPECT_EQ(instances[0]->id, "first");
    EXPECT_TRUE(instances[0]->params.empty());
    EXPECT_EQ(instances[1]->params, (ParamMap{{"scale", 0.25}})) << "of both, the Q and the DQ";
    EXPECT_EQ(grouped.graph.nodes().size(), 5u) << "the Input, two pairs, Relu, the Output";
    expect_same_values(*flat, grouped);
  }
}

TEST(OnnxQuantisedScopes, ClassesWhoseNamesBeginAlikeAreNoPairs) {
  EXPECT_TRUE(interop::is_quantised_pair({"layer.q", "QDQ uint8"}));
  EXPECT_TRUE(interop::is_quantised_pair({"layer.q", "QDQ"}));
  EXPECT_FALSE(interop::is_quantised_pair({"layer", "QDQBertLayer"}));
}

TEST(OnnxQuantisedScopes, PairsOfOneScaleHaveNoParameters) {
  const auto flat = imported(two_pairs(0.5f, 0.5f));
  ASSERT_TRUE(flat) << flat.error().text();
  const ImportedModel grouped = interop::with_groups(*flat);
  ASSERT_EQ(grouped.graph.groups().size(), 1u);
  EXPECT_TRUE(grouped.graph.groups().begin()->second->params.empty());
  expect_same_values(*flat, grouped);
}

TEST(OnnxQuantisedScopes, WholeNumbersThatSomethingElseReadsStayOnTheCanvas) {
  onnx::ModelProto model = two_pairs(0.5f, 0.25f);
  add_value(*model.mutable_graph()->mutable_output(), "first_q", {4}, onnx::TensorProto::UINT8);
  const auto flat = imported(model);
  ASSERT_TRUE(flat) << flat.error().text();
  const ImportedModel grouped = interop::with_groups(*flat);
  EXPECT_EQ(instances_of(grouped.graph).size(), 1u);
  expect_same_values(*flat, grouped);
}

/// x [4] → three modules "layers.i" of one class: x · a + x · b.
onnx::ModelProto layers(const std::vector<std::pair<float, float>>& numbers) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {4});
  std::string before = "x";
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string n = std::to_string(i), path = "/layers/layers." + n + "/";
    const std::string after = i + 1 == numbers.size() ? "y" : "y" + n;
    add_floats(model, "a" + n, {}, {numbers[i].first});
    add_floats(model, "b" + n, {}, {numbers[i].second});
    add_node(model, "Mul", {before, "a" + n}, {"l" + n}).set_name(path + "Mul");
    add_node(model, "Mul", {before, "b" + n}, {"r" + n}).set_name(path + "Mul_1");
    add_node(model, "Add", {"l" + n, "r" + n}, {after}).set_name(path + "Add");
    before = after;
  }
  return model;
}

ImportedModel grouped_layers(const std::vector<std::pair<float, float>>& numbers) {
  const auto flat = imported(layers(numbers));
  EXPECT_TRUE(flat) << flat.error().text();
  if (!flat) return {};
  ImportedModel grouped = interop::with_groups(*flat);
  expect_same_values(*flat, grouped);
  return grouped;
}

TEST(OnnxGroups, ModulesWhoseConstantsDifferAreOneGroup) {
  const ImportedModel made = grouped_layers({{1, 2}, {1, 3}, {4, 2}, {1, 2}});
  ASSERT_EQ(made.graph.groups().size(), 1u);
  std::vector<size_t> set;
  for (const Node* instance : instances_of(made.graph)) set.push_back(instance->params.size());
  EXPECT_THAT(set, ElementsAre(0, 1, 1, 0));
  EXPECT_EQ(made.graph.groups().begin()->second->params.size(), 2u);
}

TEST(OnnxGroups, ZerosOfEitherSignAreConstantsThatDiffer) {
  const ImportedModel made = grouped_layers({{0.f, 2}, {-0.f, 2}});
  ASSERT_EQ(made.graph.groups().size(), 1u);
  const auto instances = instances_of(made.graph);
  ASSERT_EQ(instances.size(), 2u);
  ASSERT_EQ(instances[1]->params.size(), 1u);
  EXPECT_TRUE(std::signbit(std::get<double>(instances[1]->params.begin()->second)));
}

// Both factors are one parameter of the first two; the third has two of its own.
TEST(OnnxGroups, ConstantsThatWereOneParameterAndDifferMakeAnotherGroup) {
  const ImportedModel made = grouped_layers({{2, 2}, {3, 3}, {4, 5}});
  std::vector<std::string> titles;
  for (const auto& [id, group] : made.graph.groups()) titles.push_back(group->title);
  EXPECT_THAT(titles, UnorderedElementsAre("layers", "layers 2"));
}

// Modules that hold modules: the numbers of the inner ones are parameters of the outer ones.
TEST(OnnxGroups, ConstantsOfModulesInModulesArePromotedThrough) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {4});
  std::string before = "x";
  for (const std::string n : {"0", "1", "2"}) {
    const std::string outer = "/layers/layers." + n + "/", inner = outer + "act/";
    add_floats(model, "a" + n, {}, {n == "1" ? 3.f : 2.f});
    add_node(model, "Mul", {before, "a" + n}, {"m" + n}).set_name(inner + "Mul");
    add_node(model, "Relu", {"m" + n}, {"r" + n}).set_name(inner + "Relu");
    add_node(model, "Neg", {"r" + n}, {"n" + n}).set_name(inner + "Neg");
    add_node(model, "Abs", {"n" + n}, {"b" + n}).set_name(outer + "Abs");
    add_node(model, "Add", {"b" + n, before}, {n == "2" ? "y" : "y" + n}).set_name(outer + "Add");
    before = "y" + n;
  }
  const auto flat = imported(model);
  ASSERT_TRUE(flat) << flat.error().text();
  const ImportedModel grouped = interop::with_groups(*flat);
  EXPECT_EQ(grouped.graph.groups().size(), 2u);
  std::vector<size_t> set;
  for (const Node* instance : instances_of(grouped.graph)) set.push_back(instance->params.size());
  EXPECT_THAT(set, ElementsAre(0, 1, 0));
  expect_same_values(*flat, grouped);
}

}  // namespace
}  // namespace hw::test::onnx_quantised_scopes_test
