// What does not depend on the inputs of a model is computed while it is imported.
#include <limits>

#include "engine/graph/check/validate.h"
#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_fold_test {
namespace {

TEST(OnnxFold, WhatIsComputedOfSizesIsFolded) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2, 3, 4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {6, 4});
  add_integers(model, "last", {2});
  add_integers(model, "rest", {-1});
  add_node(model, "Shape", {"x"}, {"s"});
  add_node(model, "Gather", {"s", "last"}, {"size"});
  add_node(model, "Concat", {"rest", "size"}, {"shape"});
  set_int(*model.mutable_graph()->mutable_node(2), "axis", 0);
  add_node(model, "Reshape", {"x", "shape"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->missing.empty()) << made->missing.front().reason;
  EXPECT_EQ(made->graph.nodes().size(), 3u) << "input, reshape, output";
}

/// x [3, 1, 20] → LSTM of 64: y [3, 1, 1, 64]. PyTorch orders its gates otherwise: W is computed of `w` then.
onnx::ModelProto lstm(bool computed) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {3, 1, 20});
  add_value(*model.mutable_graph()->mutable_output(), "y", {3, 1, 1, 64});
  const auto numbers = [](size_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7 % 31) / 64 - 0.25f;
    return values;
  };
  const std::vector<float> w = numbers(256 * 20);
  add_floats(model, "R", {1, 256, 64}, numbers(256 * 64));
  if (!computed) {
    add_floats(model, "W", {1, 256, 20}, w);
  } else {
    std::vector<float> swapped(w.begin() + 128 * 20, w.end());
    swapped.insert(swapped.end(), w.begin(), w.begin() + 128 * 20);
    add_floats(model, "w", {256, 20}, swapped);
    add_integers(model, "zero", {0});
    add_integers(model, "half", {128});
    add_integers(model, "end", {std::numeric_limits<int64_t>::max()});
    add_node(model, "Slice", {"w", "half", "end", "zero"}, {"first"});
    add_node(model, "Slice", {"w", "zero", "half", "zero"}, {"then"});
    set_int(add_node(model, "Concat", {"first", "then"}, {"joined"}), "axis", 0);
    add_node(model, "Unsqueeze", {"joined", "zero"}, {"W"});
  }
  set_int(add_node(model, "LSTM", {"x", "W", "R"}, {"y"}), "hidden_size", 64);
  return model;
}

TEST(OnnxFold, WeightsThatAreComputedOfTheFilesAreFolded) {
  const auto plain = imported(lstm(false)), computed = imported(lstm(true));
  ASSERT_TRUE(plain) << plain.error().text();
  ASSERT_TRUE(computed) << computed.error().text();
  EXPECT_TRUE(computed->missing.empty()) << computed->missing.front().reason;
  EXPECT_EQ(computed->graph.nodes().size(), plain->graph.nodes().size());
  const Tensor x = floats({3, 1, 20}, std::vector<float>(60, 0.5f));
  EXPECT_EQ(values_of(*computed, x), values_of(*plain, x));
}

TEST(OnnxFold, ScatteredConstantsAreFolded) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {3, 2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {3, 2});
  add_floats(model, "data", {3, 2}, {0, 1, 2, 3, 4, 5});
  onnx::TensorProto& rows = *model.mutable_graph()->add_initializer();
  rows.set_name("rows");
  rows.set_data_type(onnx::TensorProto::INT64);
  for (const int64_t size : {2, 1}) rows.add_dims(size);
  for (const int64_t row : {-1, 0}) rows.add_int64_data(row);
  add_floats(model, "updates", {2, 2}, {10, 20, 30, 40});
  add_node(model, "ScatterND", {"data", "rows", "updates"}, {"mask"});
  add_node(model, "Add", {"x", "mask"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(made->missing.empty()) << made->missing.front().reason;
  EXPECT_EQ(values_of(*made, Tensor::zeros(DType::f32, {3, 2})), (std::vector<double>{30, 40, 2, 3, 10, 20}));
  rows.set_int64_data(0, 3);
  const auto outside = imported(model);
  ASSERT_TRUE(outside) << outside.error().text();
  EXPECT_FALSE(outside->missing.empty());
}

TEST(OnnxFold, QuantisedWeightsAreTheFloatsThatTheyStandFor) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 1, 1, 1});
  add_value(*model.mutable_graph()->mutable_output(), "y", {1, 2, 1, 1});
  onnx::TensorProto& weight = *model.mutable_graph()->add_initializer();
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::INT8);
  for (const int64_t size : {2, 1, 1, 1}) weight.add_dims(size);
  for (const int value : {-100, 50}) weight.add_int32_data(value);
  add_floats(model, "scale", {2}, {0.5f, 0.25f});
  add_floats(model, "step", {}, {0.125f});
  onnx::TensorProto& zero = *model.mutable_graph()->add_initializer();
  zero.set_name("zero");
  zero.set_data_type(onnx::TensorProto::UINT8);
  zero.add_int32_data(128);
  add_node(model, "QuantizeLinear", {"x", "step", "zero"}, {"q"});
  add_node(model, "DequantizeLinear", {"q", "step", "zero"}, {"d"});
  set_int(add_node(model, "DequantizeLinear", {"w", "scale"}, {"wide"}), "axis", 0);
  add_node(model, "Conv", {"d", "wide"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->missing.empty());
  EXPECT_EQ(made->dequantized, 1u);
  Validator validator;
  validator.reset(made->graph);
  const auto is_quantised = [](const auto& entry) { return entry.second.type == "quantize_linear"; };
  const auto quantised = std::ranges::find_if(made->graph.nodes(), is_quantised);
  ASSERT_NE(quantised, made->graph.nodes().end());
  EXPECT_EQ(validator.output_type(quantised->first, "y")->dtype, DType::u8);
  EXPECT_EQ(values_of(*made, floats({1, 1, 1, 1}, {1.05f})), (std::vector<double>{-50, 12.5}));
}

}  // namespace
}  // namespace hw::test::onnx_fold_test
