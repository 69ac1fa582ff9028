// Groups as local functions of exported models: one a definition, calls for instances, and what keeps one from it.
#include <gmock/gmock.h>

#include "engine/graph/groups/flatten.h"
#include "tests/engine/group_graphs.h"
#include "tests/interop/exported_node.h"
#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_functions_test {
namespace {

using interop::ExportedModel;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Values = std::vector<double>;

/// But those of a group's sockets.
std::vector<std::string> types_of(const std::vector<interop::OnnxNode>& nodes) {
  std::vector<std::string> types;
  for (const interop::OnnxNode& n : nodes)
    if (n.op != "Identity") types.push_back(n.op);
  return types;
}

/// With an Input x [2, 3].
Graph document_of(Edits edits) {
  edits.insert(
      edits.begin(),
      AddNode{node("x", "input", {{"shape", Values{2, 3}}, {"axes", std::string()}, {"symbolic", std::string()}})});
  return built(edits);
}

ExportedModel exported_groups(const Edits& edits, const SocketRef& y) {
  const Graph document = document_of(edits);
  FileAssets assets("");
  auto made = interop::export_graph(flatten(document), {{"y", y}}, nullptr, assets, {.document = &document});
  EXPECT_TRUE(made) << made.error().text();
  return made ? std::move(*made) : ExportedModel{};
}

/// What comes back of a file gives y as the same model without functions does.
void expect_same_values(const ExportedModel& model, const Edits& edits, const SocketRef& y) {
  FileAssets assets("");
  const auto plain = interop::export_graph(flatten(document_of(edits)), {{"y", y}}, nullptr, assets);
  ASSERT_TRUE(plain) << plain.error().text();
  EXPECT_TRUE(plain->functions.empty());
  const TempFolder folder;
  ASSERT_TRUE(interop::write_onnx(model, folder / "m.onnx"));
  const auto read = interop::read_onnx(folder / "m.onnx");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->functions.size(), model.functions.size());
  const auto back = interop::import_graph(*read), wanted = interop::import_graph(*plain);
  ASSERT_TRUE(back && wanted);
  EXPECT_TRUE(back->missing.empty());
  const Tensor x = floats({2, 3}, {1, -2, 3, -4, 5, -6});
  EXPECT_EQ(values_of(*back, x), values_of(*wanted, x));
}

TEST(OnnxFunctions, ADefinitionIsOneFunction) {
  const Edits edits{SetGroup{unit()}, AddNode{node("a", "group:unit")}, AddNode{node("b", "group:unit")},
                    AddLink{link("x.y", "a.x")}, AddLink{link("a.y", "b.x")}};
  const ExportedModel made = exported_groups(edits, {"b/y", "y"});
  ASSERT_EQ(made.functions.size(), 1u) << "weights of other sizes are other inputs";
  EXPECT_EQ(made.functions[0].name, "Unit");
  EXPECT_THAT(types_of(made.functions[0].nodes), UnorderedElementsAre("Gemm", "Relu", "Constant", "Dropout"));
  EXPECT_THAT(types_of(made.graph.nodes), ElementsAre("Unit", "Unit"));
  EXPECT_EQ(made.graph.nodes[1].outputs, std::vector<std::string>{"y"});
  ASSERT_EQ(made.groups.functions.size(), 1u);
  EXPECT_THAT(made.groups.functions[0].instances, ElementsAre("a", "b"));
  EXPECT_TRUE(made.groups.functions[0].attributes.empty());
  EXPECT_TRUE(made.groups.inlined.empty());
  expect_same_values(made, edits, {"b/y", "y"});
}

TEST(OnnxFunctions, NestedOnesCallEachOther) {
  const Edits edits{SetGroup{unit()},
                    SetGroup{block()},
                    AddNode{node("a", "group:block")},
                    AddNode{node("b", "group:block")},
                    AddLink{link("x.y", "a.x")},
                    AddLink{link("a.y", "b.x")}};
  const ExportedModel made = exported_groups(edits, {"b/y", "y"});
  ASSERT_EQ(made.functions.size(), 2u);
  EXPECT_EQ(made.functions[1].name, "Block");
  EXPECT_THAT(types_of(made.functions[1].nodes), ElementsAre("Unit", "Unit"));
  EXPECT_THAT(types_of(made.graph.nodes), ElementsAre("Block", "Block"));
  EXPECT_EQ(made.groups.functions[0].attributes.size(), 1u) << "the first Dropout's ratio is another";
  expect_same_values(made, edits, {"b/y", "y"});
}

Group leaky() {
  Group group{"leaky", "Leaky one", {}, {{"slope", "", "leaky", "negative_slope"}}, ""};
  group.graph = built({AddNode{node("x", "input")}, AddNode{node("leaky", "leaky_relu")}, AddNode{node("neg", "neg")},
                       AddNode{node("y", "output")}, AddLink{link("x.y", "leaky.x")}, AddLink{link("leaky.y", "neg.x")},
                       AddLink{link("neg.y", "y.x")}});
  return group;
}

TEST(OnnxFunctions, InstancesThatDifferInAValueShareAnAttribute) {
  const Edits edits{SetGroup{leaky()}, AddNode{node("a", "group:leaky", {{"slope", 0.5}})},
                    AddNode{node("b", "group:leaky", {{"slope", 0.25}})}, AddLink{link("x.y", "a.x")},
                    AddLink{link("a.y", "b.x")}};
  const ExportedModel made = exported_groups(edits, {"b/y", "y"});
  ASSERT_EQ(made.functions.size(), 1u);
  EXPECT_EQ(made.functions[0].name, "Leaky_one");
  EXPECT_THAT(made.functions[0].attributes, ElementsAre("leaky_alpha"));
  EXPECT_EQ(made.graph.nodes.at(0).real("leaky_alpha", 0), 0.5);
  EXPECT_EQ(made.graph.nodes.at(1).real("leaky_alpha", 0), 0.25);
  expect_same_values(made, edits, {"b/y", "y"});
}

TEST(OnnxFunctions, InstancesWithOtherOperatorsHaveTheirOwn) {
  // A Linear over three axes is a MatMul and an Add.
  const Edits edits{SetGroup{unit()},
                    AddNode{node("a", "group:unit")},
                    AddNode{node("b", "group:unit")},
                    AddNode{node("deep", "unsqueeze", {{"axes", Values{0}}})},
                    AddLink{link("x.y", "a.x")},
                    AddLink{link("a.y", "deep.x")},
                    AddLink{link("deep.y", "b.x")}};
  const ExportedModel made = exported_groups(edits, {"b/y", "y"});
  EXPECT_THAT(types_of(made.graph.nodes), ElementsAre("Unit", "Unsqueeze", "Unit_2"));
  EXPECT_EQ(made.groups.functions.size(), 2u);
  expect_same_values(made, edits, {"b/y", "y"});
}

TEST(OnnxFunctions, AnInstanceThatNeedsItselfIsInlined) {
  Group group{"two", "Two", {}, {}, ""};
  group.graph = built({AddNode{node("p", "input")}, AddNode{node("q", "input")}, AddNode{node("abs", "abs")},
                       AddNode{node("exp", "exp")}, AddNode{node("first", "output")}, AddNode{node("second", "output")},
                       AddLink{link("p.y", "abs.x")}, AddLink{link("abs.y", "first.x")}, AddLink{link("q.y", "exp.x")},
                       AddLink{link("exp.y", "second.x")}});
  const Edits edits{SetGroup{group},
                    AddNode{node("a", "group:two")},
                    AddNode{node("between", "neg")},
                    AddLink{link("x.y", "a.p")},
                    AddLink{link("a.first", "between.x")},
                    AddLink{link("between.y", "a.q")}};
  const ExportedModel made = exported_groups(edits, {"a/second", "y"});
  EXPECT_TRUE(made.functions.empty());
  EXPECT_THAT(types_of(made.graph.nodes), ElementsAre("Abs", "Neg", "Exp"));
  ASSERT_EQ(made.groups.inlined.size(), 1u);
  EXPECT_EQ(made.groups.inlined[0].path, "a");
  expect_same_values(made, edits, {"a/second", "y"});
}

}  // namespace
}  // namespace hw::test::onnx_functions_test
