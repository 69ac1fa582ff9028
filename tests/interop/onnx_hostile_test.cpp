// Models of a few hundred bytes that ask for more than any machine has, or hold names that no document may have.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/io/graph/graph_file.h"
#include "tests/interop/onnx_models.h"
#include "tests/interop/onnx_parts.h"
#include "tests/interop/onnx_symbolic.h"

namespace hw::test {
namespace {

using namespace parts;
using ::testing::HasSubstr;

/// f0 calls f1 twice, which calls f2 twice …; the last one has `last`, or nothing.
onnx::ModelProto doubling(int levels, const std::string& last) {
  onnx::ModelProto model = model_of({2});
  for (int level = 0; level < levels; ++level) {
    onnx::FunctionProto& f = add_function(model, "f" + std::to_string(level), {"a"}, {"b"});
    const std::string next = "f" + std::to_string(level + 1);
    if (level + 1 < levels) {
      call(*f.mutable_node(), next, {"a"}, {"c"});
      call(*f.mutable_node(), next, {"c"}, {"b"});
    } else if (!last.empty()) {
      put(*f.mutable_node(), last, {"a"}, {"b"});
    }
  }
  return model;
}

/// A branch that is taken: the graph that is to be filled, with the output "t".
onnx::GraphProto& add_taken(onnx::ModelProto& model) {
  add_number(model, "yes", 1, onnx::TensorProto::BOOL);
  return add_graph(add_node(model, "If", {"yes"}, {"y"}), "then_branch", {}, {"t"});
}

TEST(OnnxHostile, FunctionsThatDoubleInABranchAreCountedBefore) {
  onnx::ModelProto model = doubling(30, "Abs");
  call(*add_taken(model).mutable_node(), "f0", {"x"}, {"t"});
  EXPECT_THAT(trouble_in(imported(model)), HasSubstr("more than 16384 operators"));
}

TEST(OnnxHostile, CallsOfEmptyFunctionsAreCounted) {
  onnx::ModelProto model = doubling(30, "");
  call(*model.mutable_graph()->mutable_node(), "f0", {"x"}, {"y"});
  EXPECT_THAT(trouble_in(imported(model)), HasSubstr("more than 16384 operators"));
}

TEST(OnnxHostile, FunctionsThatDoubleAreCountedBehindALongChain) {
  onnx::ModelProto model = doubling(30, "Abs");
  constexpr int kChain = 31;
  for (int i = 0; i < kChain; ++i)
    call(*add_function(model, "g" + std::to_string(i), {"a"}, {"b"}).mutable_node(),
         i + 1 < kChain ? "g" + std::to_string(i + 1) : "f0", {"a"}, {"b"});
  call(*model.mutable_graph()->mutable_node(), "g0", {"x"}, {"h"});
  call(*model.mutable_graph()->mutable_node(), "f0", {"h"}, {"y"});
  EXPECT_THAT(trouble_in(imported(model)), HasSubstr("more than 23552 operators"));
}

TEST(OnnxHostile, FunctionsInTheTurnsOfALoopAreCounted) {
  onnx::ModelProto model = doubling(10, "Abs");  // 512 operators and as many calls, 1,000 times
  add_number(model, "many", 1000);
  onnx::GraphProto& body =
      add_graph(add_node(model, "Loop", {"many", "", "x"}, {"y"}), "body", {"turn", "on", "h"}, {"still", "next"});
  put(*body.mutable_node(), "Identity", {"on"}, {"still"});
  call(*body.mutable_node(), "f0", {"h"}, {"next"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_EQ(made->missing.size(), 1u);
  EXPECT_EQ(made->missing.front().op, "Loop");
  EXPECT_THAT(made->missing.front().reason, HasSubstr("functions would be more than 32768 operators"));
}

/// A width behind x whose formula has 3^40 parts, as g = f + f, f' = g - f.
TEST(OnnxHostile, AWidthOfManyPartsEnds) {
  onnx::ModelProto model = symbolic_model({1, -1}, {"seq"});
  add_integers(model, "one", {1});
  add_integers(model, "eight", {8});
  add_integers(model, "none", {0, 0, 0});
  add_node(model, "Shape", {"x"}, {"shape"});
  add_node(model, "Gather", {"shape", "one"}, {"f0"});
  for (int i = 0; i < 40; ++i) {
    const std::string f = "f" + std::to_string(i), g = "g" + std::to_string(i);
    add_node(model, "Add", {f, f}, {g});
    add_node(model, "Sub", {g, f}, {"f" + std::to_string(i + 1)});
  }
  add_node(model, "Neg", {"f40"}, {"less"});
  add_node(model, "Mod", {"less", "eight"}, {"width"});
  set_int(add_node(model, "Concat", {"none", "width"}, {"pads"}), "axis", 0);
  add_node(model, "Pad", {"x", "pads"}, {"y"});
  const auto made = imported(model, {.given = {}, .sizes = {{"seq", 6}}});
  ASSERT_EQ(trouble_in(made), "");
  EXPECT_EQ(values_of(*made, counting({1, 6})), (Values{1, 2, 3, 4, 5, 6, 0, 0})) << "-6 mod 8 more";
}

/// What a call hands over refers to attributes of the function around the call, not to itself.
TEST(OnnxHostile, AGraphThatIsGivenDoesNotHoldItself) {
  onnx::ModelProto model = model_of({2});
  add_number(model, "yes", 1, onnx::TensorProto::BOOL);
  onnx::FunctionProto& f = add_function(model, "choose", {"a", "c"}, {"b"});
  f.add_attribute("body");
  refer(put(*f.mutable_node(), "If", {"c"}, {"b"}), "then_branch", onnx::AttributeProto::GRAPH, "body");
  onnx::NodeProto& made = call(*model.mutable_graph()->mutable_node(), "choose", {"x", "yes"}, {"y"});
  onnx::GraphProto& body = add_graph(made, "body", {}, {"t"});
  refer(put(*body.mutable_node(), "If", {"yes"}, {"t"}), "then_branch", onnx::AttributeProto::GRAPH, "body");
  EXPECT_THAT(trouble_in(imported(model)), HasSubstr("the branch that is taken is missing"));
}

/// Each function puts the graph that it is given into another twice, and hands that on.
TEST(OnnxHostile, GraphsThatAreGivenOnAreCountedBeforeTheyAreCopied) {
  onnx::ModelProto model = model_of({2});
  add_number(model, "yes", 1, onnx::TensorProto::BOOL);
  constexpr int kLevels = 30;
  for (int level = 0; level < kLevels; ++level) {
    onnx::FunctionProto& f = add_function(model, "f" + std::to_string(level), {"a", "c"}, {"b"});
    f.add_attribute("body");
    if (level + 1 == kLevels) {
      refer(put(*f.mutable_node(), "If", {"c"}, {"b"}), "then_branch", onnx::AttributeProto::GRAPH, "body");
      continue;
    }
    onnx::NodeProto& on = call(*f.mutable_node(), "f" + std::to_string(level + 1), {"a", "c"}, {"b"});
    onnx::GraphProto& body = add_graph(on, "body", {}, {"t"});
    for (const char* output : {"s", "t"})
      refer(put(*body.mutable_node(), "If", {"c"}, {output}), "then_branch", onnx::AttributeProto::GRAPH, "body");
  }
  onnx::NodeProto& first = call(*model.mutable_graph()->mutable_node(), "f0", {"x", "yes"}, {"y"});
  put(*add_graph(first, "body", {}, {"t"}).mutable_node(), "Exp", {"x"}, {"t"});
  // 256 for each of the 90 in the file, and 16384.
  EXPECT_THAT(trouble_in(imported(model)), HasSubstr("functions would be more than 39424 operators"));
}

TEST(OnnxHostile, NamesThatAreNoUtf8AreTakenForLatin1) {
  onnx::ModelProto model = model_of({2});
  onnx::NodeProto& node = add_node(model, "Neu\xfc", {"x"}, {"\xe4\xff"});
  node.set_name(
      "/gr\xf6\xdf"
      "e/Op");
  set_text(node, "mode", "\xe9");
  add_value(*model.mutable_graph()->mutable_output(), "\xe4\xff", {});
  add_node(model, "Relu", {"x"}, {"y"});
  set_text(add_node(model, "Resize", {"x", "", "", ""}, {"z"}), "mode", "\xe9");
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_FALSE(made->missing.empty());
  EXPECT_EQ(made->missing.front().op, "Neu\u00fc");
  EXPECT_EQ(made->outputs.back().first, "\u00e4\u00ff");
  const auto read = parse_graph(write_graph(made->graph), "test");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(*read == made->graph);
}

}  // namespace
}  // namespace hw::test
