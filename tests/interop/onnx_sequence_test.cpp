// Sequences of tensors, as PyTorch's exporter writes split and chunk.
#include "tests/interop/onnx_models.h"

namespace hw::test {
namespace {

using Values = std::vector<double>;

/// x [2, 4] in two, the second before the first.
TEST(OnnxSequences, PartsAreTakenAndJoined) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2, 4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_integers(model, "two", {2});
  model.mutable_graph()->mutable_initializer(0)->clear_dims();
  add_integers(model, "first", {0});
  add_integers(model, "last", {-1});
  set_int(add_node(model, "SplitToSequence", {"x", "two"}, {"parts"}), "axis", 1);
  add_node(model, "SequenceAt", {"parts", "first"}, {"a"});
  add_node(model, "SequenceAt", {"parts", "last"}, {"b"});
  add_node(model, "SequenceConstruct", {"b"}, {"other"});
  add_node(model, "SequenceInsert", {"other", "a"}, {"both"});
  set_int(add_node(model, "ConcatFromSequence", {"both"}, {"y"}), "axis", 1);
  const auto made = imported(model);
  ASSERT_EQ(trouble_in(made), "");
  EXPECT_EQ(values_of(*made, floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})), (Values{3, 4, 1, 2, 7, 8, 5, 6}));
}

TEST(OnnxSequences, WhatIsNotInOneIsNamed) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {2});
  add_integers(model, "third", {2});
  add_node(model, "SequenceConstruct", {"x", "x"}, {"both"});
  add_node(model, "SequenceAt", {"both", "third"}, {"z"});
  add_node(model, "Softmax", {"z"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->missing.size(), 2u);
  EXPECT_EQ(made->missing[0].op, "SequenceAt");
  EXPECT_FALSE(made->missing[0].follows);
  EXPECT_TRUE(made->missing[1].follows);
  EXPECT_EQ(interop::missing_lines(*made).size(), 2u);
}

TEST(OnnxSequences, PartsOfAConstantAreTakenToo) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_floats(model, "w", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  add_integers(model, "one", {1});
  model.mutable_graph()->mutable_initializer(1)->clear_dims();
  add_node(model, "SplitToSequence", {"w", "one"}, {"rows"});
  add_node(model, "SequenceAt", {"rows", "one"}, {"row"});
  add_node(model, "Mul", {"x", "row"}, {"y"});
  const auto made = imported(model);
  ASSERT_EQ(trouble_in(made), "");
  EXPECT_EQ(values_of(*made, floats({1, 4}, {1, 1, 1, 2})), (Values{5, 6, 7, 16}));
}

}  // namespace
}  // namespace hw::test
