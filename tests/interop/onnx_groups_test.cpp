// Modules and functions of a model of ONNX as groups: what they compute, whose weights are whose, what stays flat.
#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>

#include "app/interop/onnx/export_graph.h"
#include "app/interop/onnx/group_scopes.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/weights/fit_weights.h"
#include "engine/graph/weights/foreign_names.h"
#include "engine/io/asset/assets.h"
#include "tests/engine/io_temp.h"
#include "tests/interop/onnx_files.h"

namespace hw::test::onnx_groups_test {
namespace {

using interop::ImportedModel;
using ::testing::ElementsAre;

Result<ImportedModel> imported(const onnx::ModelProto& model) {
  const TempFolder folder;
  write(model, folder / "m.onnx");
  HW_TRY(const interop::OnnxModel read, interop::read_onnx(folder / "m.onnx"));
  return interop::import_graph(read);
}

/// y = head(block(block(x))), block(x) = x + relu(lin(x)); `scope` is called with each node and the path of its module.
onnx::ModelProto blocks(const std::function<void(onnx::NodeProto&, const std::string&)>& scope) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {-1, 2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {-1, 2});
  std::string before = "x";
  for (const std::string n : {"0", "1"}) {
    const std::string path = "layers." + n;
    add_floats(model, path + ".lin.weight", {2, 2}, {1, 2, 3, n == "0" ? 4.f : 5.f});
    add_floats(model, path + ".lin.bias", {2}, {0, 0});
    onnx::NodeProto& lin = add_node(model, "Gemm", {before, path + ".lin.weight", path + ".lin.bias"}, {"l" + n});
    set_int(lin, "transB", 1);
    scope(lin, path + ".lin");
    scope(add_node(model, "Relu", {"l" + n}, {"r" + n}), path + ".act");
    scope(add_node(model, "Add", {"r" + n, before}, {"a" + n}), path);
    before = "a" + n;
  }
  scope(add_node(model, "Sigmoid", {before}, {"y"}), "");
  return model;
}

/// "/layers/layers.0/lin/Gemm".
void by_name(onnx::NodeProto& node, const std::string& path) {
  std::string name = "/";
  for (size_t dot = 0; !path.empty() && dot != path.npos;) {
    dot = path.find('.', dot + 1);
    name += path.substr(0, dot) + "/";
  }
  node.set_name(name + node.op_type());
}

void by_metadata(onnx::NodeProto& node, const std::string& path) {
  std::string names = "['', ", classes = "['pkg.Net', ";
  for (size_t dot = 0; !path.empty() && dot != path.npos;) {
    dot = path.find('.', dot + 1);
    const std::string part = path.substr(0, dot);
    names += "'" + part + "', ";
    classes += part == "layers" ? "'torch.nn.modules.container.ModuleList', " : "'pkg.Block', ";
  }
  for (const auto& [key, value] : {std::pair("pkg.torch.onnx.name_scopes", names + "'op']"),
                                   std::pair("pkg.torch.onnx.class_hierarchy", classes + "'aten.op']")}) {
    onnx::StringStringEntryProto entry;
    entry.set_key(key);
    entry.set_value(value);
    node.mutable_unknown_fields()->AddLengthDelimited(9, entry.SerializeAsString());
  }
}

void expect_two_blocks(const onnx::ModelProto& model, const std::string& group, const std::string& title) {
  const auto flat = imported(model);
  ASSERT_TRUE(flat) << flat.error().text();
  const ImportedModel made = interop::with_groups(*flat);
  ASSERT_EQ(made.graph.groups().size(), 1u);
  EXPECT_EQ(made.graph.groups().begin()->first, group);
  EXPECT_EQ(made.graph.groups().begin()->second->title, title);
  std::vector<std::string> instances;
  for (const auto& [id, node] : made.graph.nodes())
    if (group_of(node)) instances.push_back(id);
  EXPECT_THAT(instances, ElementsAre("layers_0", "layers_1"));
  const Graph again = flatten(made.graph);
  Validator validator;
  validator.reset(again);
  for (const Diagnostic& d : validator.all()) ADD_FAILURE() << to_string(d);
  EXPECT_EQ(made.weights.size(), 4u);
  EXPECT_EQ(made.weights.at("layers_1/lin.weight").to_f64(), (std::vector<double>{1, 2, 3, 5}));
  EXPECT_TRUE(with_foreign_names(again, made.weights).contains("layers.1.lin.weight"));
  EXPECT_NE(again.find(made.outputs.front().second.node), nullptr);
}

TEST(OnnxGroups, ModulesThatAreAlikeAreInstancesOfOneGroup) {
  expect_two_blocks(blocks(by_name), "layers", "layers");
  expect_two_blocks(blocks(by_metadata), "block", "Block");
}

// The older exporter repeats the last part of the path alone: "/model/layers/layers.0/act/Relu".
TEST(OnnxGroups, ModulesInAWrapperHaveThePathsOfTheModel) {
  const auto made = imported(blocks([](onnx::NodeProto& node, const std::string& path) {
    if (path.empty()) return;
    const size_t layer = path.find('.', path.find('.') + 1);
    const std::string inside = layer == path.npos ? "" : path.substr(layer + 1) + "/";
    node.set_name("/model/layers/" + path.substr(0, layer) + "/" + inside + node.op_type());
  }));
  ASSERT_TRUE(made) << made.error().text();
  const ImportedModel grouped = interop::with_groups(*made);
  std::set<std::string> paths;
  for (const auto& [id, node] : grouped.graph.nodes())
    if (group_of(node)) paths.insert(node.name);
  EXPECT_THAT(paths, ElementsAre("model.layers.0", "model.layers.1"));
}

// The newer exporter writes a Split, and what it casts, without any scope.
TEST(OnnxGroups, WhatHasNoScopeLiesWhereItsNeighboursDo) {
  const auto all_but = [](const std::string& op) {
    return blocks([&](onnx::NodeProto& node, const std::string& path) {
      node.set_name("node_" + node.op_type());
      if (node.op_type() != op) by_metadata(node, path);
    });
  };
  expect_two_blocks(all_but("Relu"), "block", "Block");
  onnx::ModelProto unnamed = all_but("Relu");  // a value that is left out joins nobody
  for (onnx::NodeProto& node : *unnamed.mutable_graph()->mutable_node())
    if (node.op_type() == "Relu")
      node.add_output("");
    else if (node.op_type() == "Sigmoid")
      node.add_input("");
  expect_two_blocks(unnamed, "block", "Block");
  const auto made = imported(all_but("Sigmoid"));  // it makes the result of the model
  ASSERT_TRUE(made) << made.error().text();
  for (const auto& node : made->nodes) EXPECT_TRUE(node.scopes.empty() || made->graph.find(node.id)->type != "sigmoid");
}

// "y" is made behind "early", and is the first of the two in the file.
TEST(OnnxGroups, NoWireLeadsBackToAnOutput) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2});
  for (const char* name : {"y", "early"}) add_value(*model.mutable_graph()->mutable_output(), name, {2});
  add_node(model, "Relu", {"x"}, {"early"});
  add_node(model, "Sigmoid", {"early"}, {"s"});
  add_node(model, "Tanh", {"s"}, {"y"});
  const auto flat = imported(model);
  ASSERT_TRUE(flat) << flat.error().text();
  const ImportedModel made = interop::with_groups(*flat);
  for (const Link& link : made.graph.links())
    EXPECT_LT(made.graph.find(link.from)->x, made.graph.find(link.to)->x) << link.from << " to " << link.to;
  EXPECT_LT(made.graph.find("y")->y, made.graph.find("early")->y) << "in the order of the file";
  EXPECT_EQ(made.graph.find("y")->label, "y");
}

TEST(OnnxGroups, WithoutScopesAGraphStaysFlat) {
  const auto flat = imported(blocks([](onnx::NodeProto& node, const std::string&) { node.set_name(""); }));
  ASSERT_TRUE(flat) << flat.error().text();
  const ImportedModel made = interop::with_groups(*flat);
  EXPECT_TRUE(made.graph.groups().empty());
  EXPECT_EQ(made.graph.nodes().size(), flat->graph.nodes().size());
}

// a.lin → outside → a.act → a.add: as one instance it would depend on itself.
TEST(OnnxGroups, WhatSomethingOutsideStandsBetweenStaysFlat) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {2});
  add_node(model, "Relu", {"x"}, {"r"}).set_name("/a/Relu");
  add_node(model, "Exp", {"r"}, {"e"}).set_name("/Exp");
  add_node(model, "Abs", {"e"}, {"b"}).set_name("/a/Abs");
  add_node(model, "Neg", {"b"}, {"y"}).set_name("/a/Neg");
  const auto flat = imported(model);
  ASSERT_TRUE(flat) << flat.error().text();
  EXPECT_TRUE(interop::with_groups(*flat).graph.groups().empty());
}

// PyTorch's exporter merges weights that are equal, such as ones.
TEST(OnnxGroups, LayersOfOneNameKeepTheirWeightsInFiles) {
  onnx::ModelProto model = blocks(by_name);
  for (auto& node : *model.mutable_graph()->mutable_node())
    for (auto& input : *node.mutable_input())
      if (input.starts_with("layers.1.")) input.replace(7, 1, "0");
  for (auto& weight : *model.mutable_graph()->mutable_initializer()) {
    const size_t bytes = weight.raw_data().size(),
                 count = bytes > 0 ? bytes / sizeof(float) : static_cast<size_t>(weight.float_data_size());
    weight.clear_raw_data();
    weight.clear_float_data();
    for (size_t i = 0; i < count; ++i) weight.add_float_data(1);
  }
  const auto flat = imported(model);
  ASSERT_TRUE(flat) << flat.error().text();
  const ImportedModel made = interop::with_groups(*flat);
  const Graph again = flatten(made.graph);
  const auto file = with_foreign_names(again, made.weights);
  EXPECT_EQ(file.size(), 4u);
  Validator validator;
  validator.reset(again);
  for (const Diagnostic& d : fit_weights(again, validator, file).problems) ADD_FAILURE() << to_string(d);
}

TEST(OnnxGroups, FunctionsAreGroupsOfTheirName) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {2});
  onnx::FunctionProto& f = *model.add_functions();
  f.set_name("Smooth");
  f.set_domain("own");
  f.add_input("a");
  f.add_output("c");
  f.add_opset_import()->set_version(17);
  for (const auto& [op, in, out] : {std::tuple("Abs", "a", "b"), {"Exp", "b", "d"}, {"Neg", "d", "c"}}) {
    onnx::NodeProto& node = *f.add_node();
    node.set_op_type(op);
    node.add_input(in);
    node.add_output(out);
  }
  model.add_opset_import()->set_domain("own");
  for (const auto& [in, out] : {std::pair("x", "m"), {"m", "y"}}) {
    onnx::NodeProto& call = add_node(model, "Smooth", {in}, {out});
    call.set_domain("own");
  }
  const auto flat = imported(model);
  ASSERT_TRUE(flat) << flat.error().text();
  EXPECT_TRUE(flat->missing.empty());
  const ImportedModel made = interop::with_groups(*flat);
  ASSERT_EQ(made.graph.groups().size(), 1u);
  EXPECT_EQ(made.graph.groups().begin()->second->title, "Smooth");
  EXPECT_EQ(made.graph.nodes().size(), 4u) << "the input, two instances, the output";
}

TEST(OnnxGroups, InputsKeepTheirOrder) {
  onnx::ModelProto model = onnx_model();
  for (const char* name : {"c", "a", "b"}) add_value(*model.mutable_graph()->mutable_input(), name, {2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {2});
  add_node(model, "Sub", {"a", "b"}, {"ab"});
  add_node(model, "Mul", {"ab", "c"}, {"y"});
  const auto flat = imported(model);
  ASSERT_TRUE(flat) << flat.error().text();
  const ImportedModel grouped = interop::with_groups(*flat);
  FileAssets assets("");
  const auto exported = interop::export_graph(grouped.graph, grouped.outputs, nullptr, assets);
  ASSERT_TRUE(exported) << exported.error().text();
  std::vector<std::string> names;
  for (const interop::OnnxValue& input : exported->graph.inputs) names.push_back(input.name);
  EXPECT_THAT(names, ElementsAre("c", "a", "b"));
}

}  // namespace
}  // namespace hw::test::onnx_groups_test
