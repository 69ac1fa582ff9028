// Dtypes of ONNX that wider ones hold, blocks of them that share a scale, and tensors without elements.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/interop/onnx_models.h"

namespace hw::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using Values = std::vector<double>;

constexpr int kUInt16 = 4, kInt64 = 7, kUInt64 = 13, kInt4 = 22, kFloat4 = 23;

onnx::TensorProto& add_packed(onnx::ModelProto& model, const std::string& name, int type,
                              const std::vector<int64_t>& dims, const std::string& bytes) {
  onnx::TensorProto& tensor = add_floats(model, name, dims, {});
  tensor.set_data_type(type);
  tensor.set_raw_data(bytes);
  return tensor;
}

/// y of an operator on x and these initializers' names.
onnx::ModelProto one(const std::string& op, const std::vector<std::string>& inputs, const std::vector<int64_t>& dims,
                     int type = onnx::TensorProto::FLOAT) {
  onnx::ModelProto model = onnx_model(21);
  add_value(*model.mutable_graph()->mutable_input(), "x", dims, type);
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_node(model, op, inputs, {"y"});
  return model;
}

TEST(OnnxNarrow, FourBitsInBlocksAreTheFloatsThatTheyStandFor) {
  onnx::ModelProto model = one("Add", {"x", "w"}, {2, 4});
  // 1 2 −1 −8 | 7 0 3 −2, the lower half of a byte first; two scales a row.
  add_packed(model, "q", kInt4, {2, 4}, std::string("\x21\x8f\x07\xe3", 4));
  add_floats(model, "scale", {2, 2}, {1, 10, 100, 0.5f});
  onnx::NodeProto& dequantize = add_node(model, "DequantizeLinear", {"q", "scale"}, {"w"});
  set_int(dequantize, "axis", 1);
  set_int(dequantize, "block_size", 2);
  model.mutable_graph()->mutable_node()->SwapElements(0, 1);
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(values_of(*made, floats({2, 4}, std::vector<float>(8, 0))), (Values{1, 2, -10, -80, 700, 0, 1.5, -1}));
  EXPECT_THAT(made->notes, Contains(HasSubstr("INT4")));
}

TEST(OnnxNarrow, SumsKeepToTheirRange) {
  onnx::ModelProto model = one("Add", {"x", "x"}, {3}, kUInt16);
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(values_of(*made, Tensor::from_f64(DType::i32, {3}, {{7, 32768, 65535}})), (Values{14, 0, 65534}));
}

TEST(OnnxNarrow, CastsDropHigherBitsAndQuantizeStops) {
  onnx::ModelProto cast = one("Cast", {"x"}, {3});
  set_int(*cast.mutable_graph()->mutable_node(0), "to", kInt4);
  const auto wraps = imported(cast);
  ASSERT_TRUE(wraps && wraps->missing.empty());
  EXPECT_EQ(values_of(*wraps, floats({3}, {-9, 7.9f, 8})), (Values{7, 7, -8}));
  onnx::ModelProto quantize = one("QuantizeLinear", {"x", "scale", "zero"}, {3});
  add_floats(quantize, "scale", {}, {2});
  add_packed(quantize, "zero", kInt4, {}, std::string("\x01", 1));
  const auto stops = imported(quantize);
  ASSERT_EQ(trouble_in(stops), "");
  EXPECT_EQ(values_of(*stops, floats({3}, {-100, 6, 100})), (Values{-8, 4, 7}));
}

TEST(OnnxNarrow, FloatsOfFourBitsAreHeld) {
  onnx::ModelProto model = one("CastLike", {"w", "x"}, {2});
  add_packed(model, "w", kFloat4, {2}, std::string("\xf3", 1));
  add_node(model, "Add", {"x", "y"}, {"z"});
  model.mutable_graph()->mutable_output(0)->set_name("z");
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(values_of(*made, floats({2}, {0, 0})), (Values{1.5, -6}));
}

TEST(OnnxNarrow, ANumberThatNoDtypeHoldsIsNamed) {
  onnx::ModelProto model = one("Add", {"x", "w"}, {1}, kUInt64);
  add_packed(model, "w", kUInt64, {1}, std::string(8, '\xff'));
  const auto made = imported(model);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->missing.size(), 1u);
  EXPECT_THAT(made->missing.front().reason, HasSubstr("2^63"));
}

TEST(OnnxNarrow, TensorsWithoutElementsAreConstants) {
  onnx::ModelProto all = one("ReduceSum", {"x", "axes"}, {2, 3});
  add_value(*all.mutable_graph()->mutable_input(), "axes", {0}, kInt64);
  const auto sum = imported(all);
  ASSERT_TRUE(sum && sum->missing.empty());
  EXPECT_EQ(values_of(*sum, floats({2, 3}, {1, 2, 3, 4, 5, 6})), (Values{21}));
  onnx::ModelProto none = one("ReduceMax", {"none"}, {2});
  add_value(*none.mutable_graph()->mutable_input(), "none", {2, 0});
  add_node(none, "Max", {"x", "y"}, {"z"});
  none.mutable_graph()->mutable_output(0)->set_name("z");
  const auto largest = imported(none);
  ASSERT_TRUE(largest && largest->missing.empty());
  EXPECT_EQ(values_of(*largest, floats({2}, {-5, 3})), (Values{-5, 3}));
}

}  // namespace
}  // namespace hw::test
