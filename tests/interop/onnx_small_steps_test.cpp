// CumProd, CenterCropPad, pools by a norm, bits, DFT and windows of signals.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_small_steps_test {
namespace {

using testing::HasSubstr;
using Values = std::vector<double>;
using Attributes = std::vector<std::pair<std::string, std::vector<int64_t>>>;

/// y = op(x, [whole numbers]); attributes of one number are INT.
onnx::ModelProto model_of(const std::string& op, const std::vector<int64_t>& dims, const Attributes& attributes,
                          const std::vector<int64_t>& second = {}, int type = onnx::TensorProto::FLOAT) {
  onnx::ModelProto model = onnx_model(26);
  add_value(*model.mutable_graph()->mutable_input(), "x", dims, type);
  add_value(*model.mutable_graph()->mutable_output(), "y", {}, type);
  std::vector<std::string> inputs{"x"};
  if (!second.empty()) {
    add_integers(model, "second", second);
    inputs.emplace_back("second");
  }
  onnx::NodeProto& node = add_node(model, op, inputs, {"y"});
  for (const auto& [name, values] : attributes)
    name == "kernel_shape" || name == "strides" || name == "pads" || name == "axes" || name == "dilations"
        ? set_ints(node, name, values)
        : set_int(node, name, values.front());
  return model;
}

Values computed(const onnx::ModelProto& model, const Tensor& x) {
  const auto made = imported(model);
  EXPECT_EQ(trouble_in(made), "");
  return made && made->missing.empty() ? values_of(*made, x) : Values{};
}

TEST(OnnxSmallSteps, CumProdMultipliesInItsOrder) {
  const Tensor x = floats({2, 3}, {2, 3, 4, 1, 0, 5});
  EXPECT_EQ(computed(model_of("CumProd", {2, 3}, {}, {1}), x), (Values{2, 6, 24, 1, 0, 0}));
  EXPECT_EQ(computed(model_of("CumProd", {2, 3}, {{"exclusive", {1}}}, {-1}), x), (Values{1, 2, 6, 1, 1, 0}));
  EXPECT_EQ(computed(model_of("CumProd", {2, 3}, {{"reverse", {1}}}, {1}), x), (Values{24, 12, 4, 0, 0, 5}));
  EXPECT_EQ(computed(model_of("CumProd", {2, 3}, {{"exclusive", {1}}, {"reverse", {1}}}, {0}), x),
            (Values{1, 0, 5, 1, 1, 1}));
  // The last two alone would overflow; a NaN behind an element does not reach it.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Values y = computed(model_of("CumProd", {4}, {}, {0}), floats({4}, {0x1p-100f, 0x1p100f, 0x1p100f, nan}));
  ASSERT_EQ(y.size(), 4u);
  EXPECT_EQ((Values{y[0], y[1], y[2]}), (Values{0x1p-100, 1, 0x1p100}));
  EXPECT_TRUE(std::isnan(y[3]));
}

TEST(OnnxSmallSteps, CenterCropPadKeepsTheMiddle) {
  const Tensor x = floats({2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_EQ(computed(model_of("CenterCropPad", {2, 5}, {}, {5, 2}), x), (Values{0, 0, 2, 3, 7, 8, 0, 0, 0, 0}));
  EXPECT_EQ(computed(model_of("CenterCropPad", {2, 5}, {{"axes", {-1}}}, {3}), x), (Values{2, 3, 4, 7, 8, 9}));
}

TEST(OnnxSmallSteps, PoolsByANorm) {
  const Tensor x = floats({1, 1, 2, 2}, {3, -4, 0, 12});
  EXPECT_EQ(computed(model_of("LpPool", {1, 1, 2, 2}, {{"kernel_shape", {1, 2}}}), x), (Values{5, 12}));
  EXPECT_EQ(computed(model_of("LpPool", {1, 1, 2, 2}, {{"kernel_shape", {2, 2}}, {"p", {1}}}), x), (Values{19}));
  EXPECT_EQ(computed(model_of("LpPool", {1, 1, 2, 2}, {{"kernel_shape", {1, 2}}, {"pads", {0, 1, 0, 1}}}), x),
            (Values{3, 5, 4, 0, 12, 12}));
  EXPECT_EQ(computed(model_of("GlobalLpPool", {1, 1, 2, 2}, {}), x), (Values{13}));
}

// Numbers of ONNX Runtime 1.32.
TEST(OnnxSmallSteps, MeansOverDilatedWindows) {
  std::vector<float> counted;
  for (int i = 1; i <= 30; ++i) counted.push_back(static_cast<float>(i));
  const auto means = [&](Attributes more) {
    more.insert(more.end(), {{"kernel_shape", {2, 2}}, {"dilations", {2, 3}}});
    return computed(model_of("AveragePool", {1, 1, 5, 6}, more), floats({1, 1, 5, 6}, counted));
  };
  EXPECT_EQ(means({}), (Values{8.5, 9.5, 10.5, 14.5, 15.5, 16.5, 20.5, 21.5, 22.5}));
  EXPECT_EQ(means({{"pads", {1, 1, 0, 1}}}),
            (Values{9, 8.5, 9.5, 10.5, 10, 9, 8.5, 9.5, 10.5, 10, 15, 14.5, 15.5, 16.5, 16, 21, 20.5, 21.5, 22.5, 22}));
  EXPECT_EQ(means({{"pads", {1, 1, 0, 1}}, {"count_include_pad", {1}}}),
            (Values{2.25, 4.25, 4.75, 5.25, 2.5, 4.5,  8.5,  9.5,  10.5, 5,
                    7.5,  14.5, 15.5, 16.5, 8,   10.5, 20.5, 21.5, 22.5, 11}));
  EXPECT_EQ(means({{"pads", {1, 0, 1, 0}}, {"strides", {2, 2}}, {"ceil_mode", {1}}}),
            (Values{8.5, 10.5, 14.5, 16.5, 20.5, 22.5}));
  EXPECT_EQ(means({{"pads", {1, 0, 1, 0}}, {"strides", {2, 2}}, {"ceil_mode", {1}}, {"count_include_pad", {1}}}),
            (Values{4.25, 5.25, 14.5, 16.5, 10.25, 11.25}));
}

TEST(OnnxSmallSteps, WindowsThatAreTooLargeAreRefusedAtOnce) {
  const auto trouble = [](const std::vector<int64_t>& dims, Attributes attributes) {
    return trouble_in(imported(model_of("AveragePool", dims, attributes)));
  };
  EXPECT_EQ(trouble({1, 1, 1 << 22}, {{"kernel_shape", {1 << 20}}, {"dilations", {2}}}),
            "a dilated window of more than 64 elements.");
  EXPECT_NE(trouble({1, 1, 2}, {{"kernel_shape", {3}}, {"dilations", {2}}, {"strides", {2}}, {"pads", {1, 1}}}), "");
}

// The same axes by factors and by sizes, counted from the end too; the others stay.
TEST(OnnxSmallSteps, ResizeOfSomeAxes) {
  std::vector<float> counted;
  for (int i = 1; i <= 30; ++i) counted.push_back(static_cast<float>(i));
  const auto resized = [&](const std::vector<int64_t>& axes, const std::vector<int64_t>& sizes,
                           const std::vector<float>& factors) {
    onnx::ModelProto model = onnx_model(18);
    add_value(*model.mutable_graph()->mutable_input(), "x", {1, 1, 5, 6});
    add_value(*model.mutable_graph()->mutable_output(), "y", {});
    add_integers(model, "sizes", sizes);
    add_floats(model, "factors", {std::ssize(factors)}, factors);
    onnx::NodeProto& node = factors.empty() ? add_node(model, "Resize", {"x", "", "", "sizes"}, {"y"})
                                            : add_node(model, "Resize", {"x", "", "factors"}, {"y"});
    set_ints(node, "axes", axes);
    set_text(node, "mode", factors.empty() ? "nearest" : "linear");
    return computed(model, floats({1, 1, 5, 6}, counted));
  };
  EXPECT_EQ(resized({-1, 2}, {3, 2}, {}), (Values{7, 9, 11, 19, 21, 23}));
  const Values halved = resized({3}, {0}, {0.5f});
  ASSERT_EQ(halved.size(), 15u);
  EXPECT_EQ((Values{halved.begin(), halved.begin() + 4}), (Values{1.5, 3.5, 5.5, 7.5}));
}

TEST(OnnxSmallSteps, BitsOfNegativeNumbersToo) {
  const auto bits = [](const std::string& op, const Values& x, const std::vector<int64_t>& other, bool is_signed) {
    onnx::ModelProto model = onnx_model();
    const int type = is_signed ? onnx::TensorProto::INT32 : onnx::TensorProto::UINT8;
    add_value(*model.mutable_graph()->mutable_input(), "x", {std::ssize(x)}, type);
    add_value(*model.mutable_graph()->mutable_output(), "y", {}, type);
    add_integers(model, "wide", other);
    set_int(add_node(model, "Cast", {"wide"}, {"other"}), "to", type);
    model.mutable_opset_import(0)->set_version(18);
    add_node(model, op, op == "BitwiseNot" ? std::vector<std::string>{"x"} : std::vector<std::string>{"x", "other"},
             {"y"});
    return computed(model, Tensor::from_f64(is_signed ? DType::i32 : DType::u8, {std::ssize(x)}, x));
  };
  constexpr double kLeast = -2147483648.0;
  const Values x{-1, 6, kLeast, 2147483647};
  const std::vector<int64_t> other{12, 3, -1, -2};
  EXPECT_EQ(bits("BitwiseAnd", x, other, true), (Values{12, 2, kLeast, 2147483646}));
  EXPECT_EQ(bits("BitwiseOr", x, other, true), (Values{-1, 7, -1, -1}));
  EXPECT_EQ(bits("BitwiseXor", x, other, true), (Values{-13, 5, 2147483647, kLeast + 1}));
  EXPECT_EQ(bits("BitwiseNot", x, other, true), (Values{0, -7, 2147483647, kLeast}));
  EXPECT_EQ(bits("BitwiseXor", {255, 1}, {129, 1}, false), (Values{126, 0}));
  EXPECT_EQ(bits("BitwiseNot", {255, 1}, {1}, false), (Values{0, 254}));
  const auto wide = imported(model_of("BitwiseNot", {1}, {}, {}, onnx::TensorProto::INT64));
  ASSERT_TRUE(wide && wide->missing.size() == 1);
  EXPECT_THAT(wide->missing[0].reason, HasSubstr("i64"));
}

// Against the sum that defines it; a transform and its inverse give the signal back.
TEST(OnnxSmallSteps, ADftIsTheSumThatDefinesIt) {
  const std::vector<float> signal{1, -2, 0.5f, 4, 3};
  const Values y = computed(model_of("DFT", {1, 5, 1}, {}), floats({1, 5, 1}, signal));
  ASSERT_EQ(y.size(), 10u);
  for (int k = 0; k < 5; ++k) {
    double real = 0, imaginary = 0;
    for (int i = 0; i < 5; ++i) {
      const double angle = -2 * std::acos(-1.0) * k * i / 5;
      real += signal[static_cast<size_t>(i)] * std::cos(angle);
      imaginary += signal[static_cast<size_t>(i)] * std::sin(angle);
    }
    EXPECT_NEAR(y[static_cast<size_t>(2 * k)], real, 1e-5);
    EXPECT_NEAR(y[static_cast<size_t>(2 * k + 1)], imaginary, 1e-5);
  }
  for (const int64_t onesided : {0, 1}) {
    onnx::ModelProto model = model_of("DFT", {1, 5, 1}, {{"onesided", {onesided}}}, {5});
    model.mutable_graph()->mutable_node(0)->set_output(0, "spectrum");
    onnx::NodeProto& back = add_node(model, "DFT", {"spectrum", "second"}, {"y"});
    set_int(back, "inverse", 1);
    set_int(back, "onesided", onesided);
    const Values same = computed(model, floats({1, 5, 1}, signal));
    ASSERT_EQ(same.size(), onesided != 0 ? 5u : 10u);
    for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(same[onesided != 0 ? i : 2 * i], signal[i], 1e-5);
  }
}

TEST(OnnxSmallSteps, ShorterAndLongerTransformsAndOtherAxes) {
  const Tensor x = floats({1, 3, 2, 1}, {1, 10, 2, 20, 3, 30});
  const auto real = [&](int64_t length) {
    onnx::ModelProto model = onnx_model(17);
    add_value(*model.mutable_graph()->mutable_input(), "x", {1, 3, 2, 1});
    add_value(*model.mutable_graph()->mutable_output(), "y", {});
    add_integers(model, "length", {length});
    model.mutable_graph()->mutable_initializer(0)->clear_dims();
    add_node(model, "DFT", {"x", "length"}, {"y"});  // axis 1, as opset 17 has it
    return computed(model, x);
  };
  const Values two = real(2), four = real(4);
  ASSERT_EQ(two.size(), 8u);
  EXPECT_NEAR(two[0], 3, 1e-5);
  EXPECT_NEAR(two[2], 30, 1e-5);
  EXPECT_NEAR(two[4], -1, 1e-5);
  ASSERT_EQ(four.size(), 16u);
  EXPECT_NEAR(four[0], 6, 1e-5);
  EXPECT_NEAR(four[8], 2, 1e-5) << "1 − 2 + 3";
}

TEST(OnnxSmallSteps, AWindowOfASignalIsAConstant) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_integers(model, "size", {4});
  model.mutable_graph()->mutable_initializer(0)->clear_dims();
  add_node(model, "HannWindow", {"size"}, {"window"});
  add_node(model, "Mul", {"x", "window"}, {"y"});
  const Values y = computed(model, floats({4}, {1, 1, 1, 1}));
  ASSERT_EQ(y.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i], (Values{0, 0.5, 1, 0.5})[i], 1e-7);
}

}  // namespace
}  // namespace hw::test::onnx_small_steps_test
