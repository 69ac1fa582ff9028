// Operators that are made of others: branches, loops, what ONNX Runtime fuses and quantises, recurrent layers by steps.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_steps_test {
namespace {

using testing::HasSubstr;
using Values = std::vector<double>;

onnx::GraphProto& add_graph(onnx::NodeProto& node, const std::string& attribute) {
  onnx::AttributeProto& added = *node.add_attribute();
  added.set_name(attribute);
  added.set_type(onnx::AttributeProto::GRAPH);
  added.mutable_g()->set_name(attribute);
  return *added.mutable_g();
}

onnx::NodeProto& add_inner(onnx::GraphProto& graph, const std::string& op, const std::vector<std::string>& inputs,
                           const std::string& output) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  for (const std::string& name : inputs) node.add_input(name);
  node.add_output(output);
  return node;
}

void add_number(onnx::ModelProto& model, const std::string& name, int64_t value, int type = onnx::TensorProto::INT64) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  if (type == onnx::TensorProto::INT64)
    tensor.add_int64_data(value);
  else
    tensor.add_int32_data(static_cast<int32_t>(value));
}

/// x [dims] and y.
onnx::ModelProto model_of(const std::vector<int64_t>& dims) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", dims);
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  return model;
}

/// y = x where the first axis has one place, else −x, as a scripted squeeze decides.
onnx::ModelProto branching(const std::vector<int64_t>& dims) {
  onnx::ModelProto model = model_of(dims);
  add_number(model, "first", 0);
  add_number(model, "one", 1);
  add_node(model, "Shape", {"x"}, {"dims"});
  add_node(model, "Gather", {"dims", "first"}, {"n"});
  add_node(model, "Equal", {"n", "one"}, {"is_one"});
  onnx::NodeProto& branch = add_node(model, "If", {"is_one"}, {"y"});
  onnx::GraphProto& then = add_graph(branch, "then_branch");
  add_inner(then, "Identity", {"x"}, "same");
  add_value(*then.mutable_output(), "same", {});
  onnx::GraphProto& otherwise = add_graph(branch, "else_branch");
  add_inner(otherwise, "Neg", {"x"}, "same");
  add_value(*otherwise.mutable_output(), "same", {});
  return model;
}

TEST(OnnxSteps, OfABranchThereIsTheOneThatTheSizesChoose) {
  for (const int64_t rows : {1, 2}) {
    const auto made = imported(branching({rows, 1}));
    ASSERT_EQ(trouble_in(made), "");
    const Tensor x = floats({rows, 1}, std::vector<float>(static_cast<size_t>(rows), 3));
    EXPECT_EQ(values_of(*made, x).front(), rows == 1 ? 3 : -3);
  }
}

TEST(OnnxSteps, ABranchOnASymbolicSizeFixesIt) {
  const auto made = imported(branching({-1, 1}), {{}, {{"batch", 4}}});
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(made->fixed, (std::map<std::string, int64_t>{{"batch", 4}}));
}

/// h = 2 · h + w, turn by turn; y: each h.
onnx::ModelProto turning(const std::string& count, const std::string& condition) {
  onnx::ModelProto model = model_of({2});
  add_floats(model, "w", {2}, {1, 0});
  add_floats(model, "two", {}, {2});
  add_number(model, "three", 3);
  add_number(model, "true", 1, onnx::TensorProto::BOOL);
  onnx::GraphProto& body = add_graph(add_node(model, "Loop", {count, "true", "x"}, {"last", "y"}), "body");
  add_value(*body.mutable_input(), "turn", {}, onnx::TensorProto::INT64);
  add_value(*body.mutable_input(), "on", {}, onnx::TensorProto::BOOL);
  add_value(*body.mutable_input(), "h", {2});
  add_inner(body, "Mul", {"h", "two"}, "twice");
  add_inner(body, "Add", {"twice", "w"}, "next");
  if (condition == "turn") {
    add_inner(body, "Add", {"turn", "two_turns"}, "after");
    add_number(model, "two_turns", 1);
    add_inner(body, "Less", {"after", "three"}, "still");
  } else if (condition == "value") {
    add_inner(body, "ReduceSum", {"next"}, "sum");
    add_inner(body, "Less", {"sum", "two"}, "still");
  } else {
    add_inner(body, "Identity", {"on"}, "still");
  }
  add_inner(body, "Identity", {"next"}, "each");
  for (const char* name : {"still", "next", "each"}) add_value(*body.mutable_output(), name, {});
  return model;
}

TEST(OnnxSteps, OfALoopAllTurnsAreLaidOut) {
  for (const auto& [count, condition] : {std::pair("three", ""), {"", "turn"}}) {
    const auto made = imported(turning(count, condition));
    ASSERT_EQ(trouble_in(made), "");
    EXPECT_EQ(values_of(*made, floats({2}, {1, 1})), (Values{3, 2, 7, 4, 15, 8}));
  }
}

TEST(OnnxSteps, ALoopThatEndsByWhatItIsGivenIsNamedAndLeavesNothingBehind) {
  const auto made = imported(turning("three", "value"));
  ASSERT_TRUE(made);
  ASSERT_EQ(made->missing.size(), 1u);
  EXPECT_EQ(made->missing.front().op, "Loop");
  EXPECT_THAT(made->missing.front().reason, HasSubstr("its condition is computed of what the graph is given"));
  EXPECT_EQ(made->graph.nodes().size(), 3u) << "the Input, what stands for the loop, the Output";
  EXPECT_TRUE(made->weights.empty());
}

TEST(OnnxSteps, AScanTakesRowByRow) {
  onnx::ModelProto model = model_of({3, 2});
  add_floats(model, "start", {2}, {0, 10});
  onnx::NodeProto& scan = add_node(model, "Scan", {"start", "x"}, {"last", "y"});
  set_int(scan, "num_scan_inputs", 1);
  set_ints(scan, "scan_output_axes", {1});
  onnx::GraphProto& body = add_graph(scan, "body");
  add_value(*body.mutable_input(), "sum", {2});
  add_value(*body.mutable_input(), "row", {2});
  add_inner(body, "Add", {"sum", "row"}, "next");
  add_inner(body, "Identity", {"next"}, "each");
  for (const char* name : {"next", "each"}) add_value(*body.mutable_output(), name, {2});
  const auto made = imported(model);
  ASSERT_EQ(trouble_in(made), "");
  EXPECT_EQ(values_of(*made, floats({3, 2}, {1, 2, 3, 4, 5, 6})), (Values{1, 4, 9, 12, 16, 22}));
}

// An attribute of the call may stand in a branch inside the function.
TEST(OnnxSteps, ABranchInAFunctionHasTheAttributesOfTheCall) {
  onnx::ModelProto model = model_of({1, 2});
  model.set_ir_version(9);
  model.add_opset_import()->set_domain("own");
  onnx::FunctionProto& function = *model.add_functions();
  function.set_name("Leak");
  function.set_domain("own");
  function.add_input("v");
  function.add_output("r");
  function.add_attribute("slope");
  function.add_opset_import()->set_version(17);
  onnx::NodeProto& choice = *function.add_node();
  choice.set_op_type("Constant");
  choice.add_output("yes");
  onnx::AttributeProto& value = *choice.add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(onnx::TensorProto::BOOL);
  value.mutable_t()->add_int32_data(1);
  onnx::NodeProto& branch = *function.add_node();
  branch.set_op_type("If");
  branch.add_input("yes");
  branch.add_output("r");
  onnx::GraphProto& then = add_graph(branch, "then_branch");
  onnx::AttributeProto& alpha = *add_inner(then, "LeakyRelu", {"v"}, "leaked").add_attribute();
  alpha.set_name("alpha");
  alpha.set_type(onnx::AttributeProto::FLOAT);
  alpha.set_ref_attr_name("slope");
  add_value(*then.mutable_output(), "leaked", {});
  onnx::NodeProto& call = add_node(model, "Leak", {"x"}, {"y"});
  call.set_domain("own");
  onnx::AttributeProto& slope = *call.add_attribute();
  slope.set_name("slope");
  slope.set_type(onnx::AttributeProto::FLOAT);
  slope.set_f(0.5f);
  const auto made = imported(model);
  ASSERT_EQ(trouble_in(made), "");
  EXPECT_EQ(values_of(*made, floats({1, 2}, {-4, 4})), (Values{-2, 4}));
}

TEST(OnnxSteps, WeightsOfFewBitsAreTheFloatsThatTheyStandFor) {
  onnx::ModelProto model = model_of({1, 16});
  onnx::TensorProto& packed = *model.mutable_graph()->add_initializer();
  packed.set_name("w");
  packed.set_data_type(onnx::TensorProto::UINT8);
  for (const int64_t size : {2, 1, 8}) packed.add_dims(size);
  std::string bytes(16, '\x98');  // 8 and 9: 0 and 1 above the zero point
  bytes[8] = '\x8f';              // the second row begins with 7 above it
  packed.set_raw_data(bytes);
  add_floats(model, "s", {2}, {1, 0.5f});
  onnx::NodeProto& product = add_node(model, "MatMulNBits", {"x", "w", "s"}, {"y"});
  product.set_domain("com.microsoft");
  for (const auto& [name, value] : {std::pair("K", 16), {"N", 2}, {"bits", 4}, {"block_size", 16}})
    set_int(product, name, value);
  const auto made = imported(model);
  ASSERT_EQ(trouble_in(made), "");
  EXPECT_EQ(made->dequantized, 1u);
  EXPECT_EQ(values_of(*made, floats({1, 16}, std::vector<float>(16, 1))), (Values{8, 7}));
  set_int(product, "g_idx", 0);
  product.add_input("");
  product.add_input("s");
  EXPECT_THAT(imported(model)->missing.front().reason, HasSubstr("g_idx"));
}

/// One gate: h = tanh(x · w + h · r).
TEST(OnnxSteps, ARecurrentLayerWithoutANodeGoesStepByStep) {
  onnx::ModelProto model = model_of({2, 1, 1});
  add_floats(model, "w", {1, 1, 1}, {0.5f});
  add_floats(model, "r", {1, 1, 1}, {-1});
  set_int(add_node(model, "RNN", {"x", "w", "r"}, {"y"}), "hidden_size", 1);
  const auto made = imported(model);
  ASSERT_EQ(trouble_in(made), "");
  const double first = std::tanh(0.5), second = std::tanh(1 - first);
  const Values y = values_of(*made, floats({2, 1, 1}, {1, 2}));
  EXPECT_NEAR(y[0], first, 1e-6);
  EXPECT_NEAR(y[1], second, 1e-6);
}

/// The reset gate before the product, of which no node is made.
TEST(OnnxSteps, AGruResetsBeforeItMultiplies) {
  for (const int64_t after : {0, 1}) {
    onnx::ModelProto model = model_of({2, 1, 1});
    add_floats(model, "w", {1, 3, 1}, {0.3f, -0.7f, 0.5f});
    add_floats(model, "r", {1, 3, 1}, {0.2f, 0.9f, -1});
    add_floats(model, "b", {1, 6}, {0, 0, 0, 0, 0, 0.4f});
    onnx::NodeProto& layer = add_node(model, "GRU", {"x", "w", "r", "b"}, {"y"});
    set_int(layer, "hidden_size", 1);
    set_int(layer, "linear_before_reset", after);
    const auto made = imported(model);
    ASSERT_EQ(trouble_in(made), "");
    const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    double h = 0;
    Values expected;
    for (const double x : {1.0, 2.0}) {
      const double z = sigmoid(0.3 * x + 0.2 * h), r = sigmoid(-0.7 * x + 0.9 * h);
      const double from = after != 0 ? r * (-h + 0.4) : -(r * h) + 0.4;
      h = (1 - z) * std::tanh(0.5 * x + from) + z * h;
      expected.push_back(h);
    }
    const Values y = values_of(*made, floats({2, 1, 1}, {1, 2}));
    for (const size_t i : {0, 1}) EXPECT_NEAR(y[i], expected[i], 1e-6) << after;
  }
}

// Values of steps and inner graphs have names that the file has not.
TEST(OnnxSteps, NamesInTheFileAreNeverTaken) {
  onnx::ModelProto model = model_of({1, 2});
  add_floats(model, "g", {2}, {1, 1});
  for (const char* name : {"s/0", "s/1", "step:s/0", "step:s/1", "step::s/0"}) add_floats(model, name, {2}, {100, 100});
  onnx::NodeProto& norm = add_node(model, "SkipSimplifiedLayerNormalization", {"x", "x", "g"}, {"s"});
  norm.set_domain("com.microsoft");
  std::string sum = "s";
  for (const char* name : {"s/0", "s/1", "step:s/0", "step:s/1", "step::s/0"}) {
    add_node(model, "Add", {sum, name}, {sum + "+"});
    sum += "+";
  }
  add_node(model, "Identity", {sum}, {"y"});
  const auto made = imported(model);
  ASSERT_EQ(trouble_in(made), "");
  const Values y = values_of(*made, floats({1, 2}, {3, 3}));
  EXPECT_NEAR(y[0], 501, 1e-4);
}

/// What is masked is where the mask is 0: other numbers keep.
TEST(OnnxSteps, AMaskOfOtherNumbersKeeps) {
  std::vector<Values> results;
  for (const int64_t kept : {1, 2}) {
    onnx::ModelProto model = model_of({1, 2, 2});
    add_floats(model, "w", {2, 6}, {1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1});
    onnx::TensorProto& mask = *model.mutable_graph()->add_initializer();
    mask.set_name("m");
    mask.set_data_type(onnx::TensorProto::INT32);
    for (const int64_t size : {1, 2}) mask.add_dims(size);
    for (const int64_t number : {kept, int64_t{0}}) mask.add_int32_data(static_cast<int32_t>(number));
    onnx::NodeProto& attention = add_node(model, "Attention", {"x", "w", "", "m"}, {"y"});
    attention.set_domain("com.microsoft");
    set_int(attention, "num_heads", 1);
    const auto made = imported(model);
    ASSERT_EQ(trouble_in(made), "");
    results.push_back(values_of(*made, floats({1, 2, 2}, {1, 2, 3, 4})));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_NEAR(results[0][0], 1, 1e-6) << "the first token alone";
}

/// All turns have one weight, which trains as one.
TEST(OnnxSteps, TurnsShareTheWeightsOfTheirBody) {
  onnx::ModelProto model = model_of({1, 2});
  add_number(model, "three", 3);
  onnx::GraphProto& body = add_graph(add_node(model, "Loop", {"three", "", "x"}, {"y"}), "body");
  add_value(*body.mutable_input(), "turn", {}, onnx::TensorProto::INT64);
  add_value(*body.mutable_input(), "on", {}, onnx::TensorProto::BOOL);
  add_value(*body.mutable_input(), "h", {1, 2});
  *body.add_initializer() = add_floats(model, "w", {2, 2}, {1, 2, 3, 4});
  model.mutable_graph()->mutable_initializer()->RemoveLast();
  add_inner(body, "Identity", {"on"}, "still");
  add_inner(body, "MatMul", {"h", "w"}, "next");
  for (const char* name : {"still", "next"}) add_value(*body.mutable_output(), name, {});
  const auto made = imported(model);
  ASSERT_EQ(trouble_in(made), "");
  EXPECT_EQ(made->weights.size(), 1u);
  EXPECT_EQ(values_of(*made, floats({1, 2}, {1, 0})), (Values{37, 54}));
}

// Sizes that no memory has, bodies that fit nothing, and inputs of other ranks are reported before anything is made.
TEST(OnnxSteps, AbsurdOnesAreRefusedAtOnce) {
  const auto reason = [](const onnx::ModelProto& model) {
    const auto made = imported(model);
    return made && !made->missing.empty() ? made->missing.front().reason : "";
  };
  onnx::ModelProto steps = model_of({10'000'000, 1, 1});
  add_floats(steps, "w", {1, 1, 1}, {1});
  add_floats(steps, "r", {1, 1, 1}, {1});
  set_int(add_node(steps, "RNN", {"x", "w", "r"}, {"y"}), "hidden_size", 1);
  EXPECT_THAT(reason(steps), HasSubstr("more than 1024 steps"));
  onnx::ModelProto packed = model_of({1, 16});
  onnx::TensorProto& none = *packed.mutable_graph()->add_initializer();
  none.set_name("w");
  none.set_data_type(onnx::TensorProto::UINT8);
  for (const int64_t size : {1, 1, 0}) none.add_dims(size);
  add_floats(packed, "s", {1}, {1});
  onnx::NodeProto& product = add_node(packed, "MatMulNBits", {"x", "w", "s"}, {"y"});
  product.set_domain("com.microsoft");
  for (const auto& [name, value] :
       {std::pair("K", int64_t{16}), {"N", int64_t{1}}, {"bits", int64_t{8}}, {"block_size", int64_t{1} << 61}})
    set_int(product, name, value);
  EXPECT_EQ(reason(packed), "its sizes.");
  onnx::ModelProto scalar = model_of({});
  scalar.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  add_floats(scalar, "w", {2, 6}, std::vector<float>(12, 1));
  add_integers(scalar, "m", {1});
  onnx::NodeProto& attention = add_node(scalar, "Attention", {"x", "w", "", "m"}, {"y"});
  attention.set_domain("com.microsoft");
  set_int(attention, "num_heads", 1);
  EXPECT_EQ(reason(scalar), "its input has no axes.");
  onnx::ModelProto more = turning("three", "");
  more.mutable_graph()->mutable_node(0)->add_output("too_many");
  EXPECT_THAT(reason(more), HasSubstr("does not fit its outputs"));
}

TEST(OnnxSteps, WhatAStepRefusesIsReportedOfTheOperatorInTheFile) {
  onnx::ModelProto model = model_of({2, 3});
  onnx::NodeProto& product = add_node(model, "FusedMatMul", {"x", "x"}, {"y"});
  product.set_domain("com.microsoft");
  const auto made = imported(model);
  ASSERT_TRUE(made);
  ASSERT_FALSE(made->missing.empty());
  EXPECT_EQ(made->missing.front().op, "com.microsoft.FusedMatMul");
  EXPECT_THAT(made->missing.front().reason, HasSubstr("MatMul: "));
}

}  // namespace
}  // namespace hw::test::onnx_steps_test
