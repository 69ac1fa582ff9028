// Every function of unary.def and binary.def as a shader: the bits of C++.
#include "tests/shader/shader_bits.h"

#include <gtest/gtest.h>

#include "engine/kernels/elementwise.h"
#include "engine/shader/body_reader.h"

namespace hw::test {
namespace {

struct Setup {
  shader::Bodies bodies;
  std::unique_ptr<ComputeDevice> device;
};
// One for all cases; nullptr with the reason said where there is no device.
Setup* setup() {
  static std::unique_ptr<Setup> made = [] {
    auto bodies = shader::read_all_bodies();
    auto device = ComputeDevice::create();
    EXPECT_TRUE(bodies) << (bodies ? "" : bodies.error().text());
    EXPECT_TRUE(device) << (device ? "" : device.error().text());
    return bodies && device ? std::make_unique<Setup>(Setup{std::move(*bodies), std::move(*device)}) : nullptr;
  }();
  return made.get();
}

std::string case_name(const std::string& name) {
  std::string plain = name;
  for (char& c : plain)
    if (c == ':') c = '_';
  return plain;
}

// C++ asks the platform for pow, in f64 for more: see the next. Its gradients multiply what is 1 ulp off.
class ShaderBits : public testing::TestWithParam<ShaderCase<float>> {};
TEST_P(ShaderBits, OfF32) {
  ASSERT_NE(setup(), nullptr);
  const auto report = compare_bits(*setup()->device, setup()->bodies, GetParam());
  ASSERT_TRUE(report) << report.error().text();
  shader::GlslLibrary library(setup()->bodies);
  ASSERT_TRUE(library.add(GetParam().name, shader::Scalar::f32));
  const bool own =
      GetParam().name.starts_with("math_f64::") || library.text().find("math_f64_powf") == std::string::npos;
  if (own) {
    EXPECT_EQ(report->different, 0) << report->first;
  } else if (GetParam().name == "binary::pow") {
    EXPECT_LE(report->largest_ulp, 1) << report->first;
  }
  EXPECT_GT(report->subnormals, 100);
  EXPECT_EQ(report->loose_operations, 0) << "arithmetic that a driver may contract";
}
INSTANTIATE_TEST_SUITE_P(All, ShaderBits, testing::ValuesIn(shader_cases<float>()),
                         [](const auto& tested) { return case_name(tested.param.name); });

// C++ asks the platform for the functions that GLSL has of math_f64.h: only the rest has the same bits.
class ShaderBitsF64 : public testing::TestWithParam<ShaderCase<double>> {};
TEST_P(ShaderBitsF64, OfF64) {
  ASSERT_NE(setup(), nullptr);
  const ShaderCase<double>& c = GetParam();
  const auto report = compare_bits(*setup()->device, setup()->bodies, c);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->loose_operations, 0) << "arithmetic that a driver may contract";
  shader::GlslLibrary library(setup()->bodies);
  ASSERT_TRUE(library.add(c.name, shader::Scalar::f64));
  const bool own = c.name.starts_with("math_f64::") || library.text().find("math_f64_") == std::string::npos;
  if (own) {
    EXPECT_EQ(report->different, 0) << report->first;
  }
}
INSTANTIATE_TEST_SUITE_P(All, ShaderBitsF64, testing::ValuesIn(shader_cases<double>()),
                         [](const auto& tested) { return case_name(tested.param.name); });

// What the comparison is worth: C++ that differs by one operation is found.
TEST(ShaderComparison, OtherArithmeticIsFound) {
  ASSERT_NE(setup(), nullptr);
  const ShaderCase<float> wrong = {"affine", 3, {}, [](float x, float scale, float offset) {
                                     return static_cast<float>(double{x} * scale + offset);  // as an fma
                                   }};
  const auto report = compare_bits(*setup()->device, setup()->bodies, wrong);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_GT(report->different, report->inputs / 100);
}

}  // namespace
}  // namespace hw::test
