// What a model computes from its symbolic sizes and is no size: a weight, the begin of a part.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/interop/onnx_symbolic.h"

namespace hw::test::onnx_computed_weights_test {
namespace {

/// y = x · (table · (n mod 5)), n the size of the only axis.
onnx::ModelProto scaled(int64_t elements) {
  onnx::ModelProto model = symbolic_model({elements, -1}, {"height"});
  add_integers(model, "n1", {1});
  add_integers(model, "five", {5});
  add_floats(model, "table", {elements, 1}, std::vector<float>(static_cast<size_t>(elements), 1.0f));
  const std::string n = size_of_x(model, "1");
  add_node(model, "Div", {n, "five"}, {"fifths"});
  add_node(model, "Mul", {"fifths", "five"}, {"whole"});
  add_node(model, "Sub", {n, "whole"}, {"rest"});
  set_int(add_node(model, "Cast", {"rest"}, {"factor"}), "to", onnx::TensorProto::FLOAT);
  add_node(model, "Mul", {"table", "factor"}, {"factors"});
  add_node(model, "Mul", {"x", "factors"}, {"y"});
  return model;
}

// A large table is a weight, a small one a parameter of its node: neither is what it is at the sizes that are tried.
TEST(OnnxComputedWeights, ThatFollowFromASizeDoSoAtEach) {
  for (const int64_t elements : {1, 5000}) {
    const auto made = imported(scaled(elements));
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_TRUE(made->missing.empty() && made->fixed.empty()) << made->fixed_because;
    for (const int64_t n : {20, 36, 192, 224}) {
      const Tensor x = Tensor::from_f64(DType::f32, {elements, n}, Values(static_cast<size_t>(elements * n), 1));
      const Values y = values_of(*made, x);
      ASSERT_EQ(y.size(), static_cast<size_t>(elements * n));
      EXPECT_EQ(std::ranges::count(y, static_cast<double>(n % 5)), elements * n) << elements << " rows of " << n;
    }
  }
}

TEST(OnnxComputedWeights, APartThatBeginsAtTheEndIsEmpty) {
  onnx::ModelProto model = symbolic_model({1, -1}, {"n"});
  add_integers(model, "n1", {1});
  add_integers(model, "axis", {1});
  add_integers(model, "end", {int64_t{1} << 62});
  add_node(model, "Slice", {"x", size_of_x(model, "1"), "end", "axis"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_EQ(made->missing.size(), 1u);
  EXPECT_NE(made->missing.front().reason.find("an empty tensor"), std::string::npos) << made->missing.front().reason;
}

}  // namespace
}  // namespace hw::test::onnx_computed_weights_test
