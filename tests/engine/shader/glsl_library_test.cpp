// Bodies as GLSL: the text itself. That it computes the same is tested on a device: tests/shader.
#include "engine/shader/glsl_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/shader/body_reader.h"

namespace hw::shader {
namespace {

using testing::HasSubstr;
using testing::Not;

const Bodies& kernels() {
  static const Bodies all = *read_all_bodies();
  return all;
}

// The text of given bodies, in namespace some; or the error.
std::string text_of(const std::string& source, const std::string& name, Scalar real = Scalar::f32) {
  Bodies bodies;
  const Status read = read_bodies("namespace hw::kernels::some {\n" + source + "\n}\n", "some.h", bodies);
  if (!read) return read.error().text();
  GlslLibrary library(bodies);
  const auto function = library.add("some::" + name, real);
  return function ? library.text() : function.error().text();
}

TEST(GlslLibrary, AFunctionBehindWhatItCalls) {
  GlslLibrary library(kernels());
  ASSERT_TRUE(library.add("unary::silu", Scalar::f32));
  const auto function = library.add("unary::leaky_relu", Scalar::f32);
  ASSERT_TRUE(function) << function.error().text();
  const std::string tail = R"(
precise float hw_sigmoid(float x) {
  precise float e = hw_exp_nonpositive(x < 0.0 ? x : -x);
  precise float s = 1.0 / (1.0 + e);
  return x < 0.0 ? e * s : s;
}

precise float unary_silu(float x, float, float) {
  return x * hw_sigmoid(x);
}

precise float unary_leaky_relu(float x, float a, float) {
  return x > 0.0 ? x : a * x;
}
)";
  EXPECT_TRUE(library.text().ends_with(tail)) << library.text();
  EXPECT_EQ((*function)->name, "unary_leaky_relu");
  EXPECT_EQ(library.needs().extensions(false), "");
}

TEST(GlslLibrary, AFunctionStandsThereOnce) {
  GlslLibrary library(kernels());
  for (const char* const name : {"unary::tanh", "unary_grad::tanh", "unary::mish", "unary::tanh"})
    ASSERT_TRUE(library.add(name, Scalar::f32)) << name;
  const std::string text = library.text();
  for (const char* const function : {"float math_exp(", "float unary_tanh("}) {
    const size_t first = text.find(function);
    EXPECT_NE(first, std::string::npos);
    EXPECT_EQ(text.find(function, first + 1), std::string::npos);
  }
}

// A GPU without f64 has these.
TEST(GlslLibrary, OnlyWhatComputesInF64AsksForIt) {
  for (const char* const name :
       {"unary::gelu", "unary::softplus", "unary::selu", "unary_grad::shrink", "binary::div"}) {
    GlslLibrary library(kernels());
    ASSERT_TRUE(library.add(name, Scalar::f32)) << name;
    EXPECT_FALSE(library.needs().f64 || library.needs().i64) << name;
    EXPECT_THAT(library.text(), Not(HasSubstr("double ")));
    EXPECT_THAT(library.text(), Not(HasSubstr("0lf")));
  }
  GlslLibrary library(kernels());
  const auto function = library.add("unary::hard_sigmoid", Scalar::f32);
  ASSERT_TRUE(function) << function.error().text();
  EXPECT_TRUE(library.needs().f64);
  EXPECT_EQ((*function)->parameters, (std::vector{Scalar::f32, Scalar::f64, Scalar::f64}));
}

TEST(GlslLibrary, EveryFunctionHasGlsl) {
  for (const Body& body : kernels().bodies) {
    const bool of_a_table = body.scope.starts_with("unary") || body.scope.starts_with("binary") || body.scope == "math";
    if (!of_a_table || body.templates.empty()) continue;
    for (const Scalar real : {Scalar::f32, Scalar::f64}) {
      const auto function = GlslLibrary(kernels()).add(body.full_name(), real);
      EXPECT_TRUE(function) << (function ? "" : function.error().text());
    }
  }
}

TEST(GlslLibrary, WordsOfGlslAreRenamed) {
  EXPECT_THAT(text_of("HW_BODY float f(float half) {\n  const float floor = half;\n  return floor;\n}", "f"),
              HasSubstr("float some_f(float half_) {\n  precise float floor_ = half_;\n  return floor_;\n}"));
}

TEST(GlslLibrary, TypesAreThoseOfCpp) {
  EXPECT_THAT(text_of("HW_BODY float f(float x) {\n  const bool a = (x > 1.0f) & (x < 2.0f) | (x == x);\n"
                      "  return a ? 1 : x;\n}",
                      "f"),
              HasSubstr("bool a = (x > 1.0 && x < 2.0) || x == x;\n  return a ? 1.0 : x;"));
  EXPECT_THAT(text_of("HW_BODY float f(uint32_t k) {\n  return k & 1 ? 2.0f : static_cast<float>(k);\n}\n"
                      "HW_BODY float g(float x) {\n  return f(3);\n}",
                      "g"),
              HasSubstr("return (k & 1u) != 0u ? 2.0 : float(k);"));
  EXPECT_THAT(text_of("template <class T>\nHW_BODY T f(T x) {\n  return T(1.0 / 3) * x - (x - T(2));\n}", "f"),
              HasSubstr("return 0.33333334 * x - (x - 2.0);"));
  EXPECT_THAT(text_of("template <class T>\nHW_BODY T f(T x) {\n  return T(0.1) * x;\n}", "f", Scalar::f64),
              HasSubstr("return 0.1lf * x;"));
}

TEST(GlslLibrary, OverloadsAreChosenByType) {
  const std::string both = "HW_BODY double g(double x) {\n  return x;\n}\nHW_BODY float g(float x) {\n  return x;\n}\n";
  EXPECT_THAT(text_of(both + "HW_BODY float f(float x) {\n  return g(x);\n}", "f"), Not(HasSubstr("double ")));
  EXPECT_THAT(text_of(both + "HW_BODY float f(float x) {\n  return g(1);\n}", "f"), HasSubstr("several"));
}

TEST(GlslLibrary, WhatGoesOutIsAReference) {
  EXPECT_THAT(text_of("HW_BODY void g(float x, float& y, float& z) {\n  y = x;\n  z += x;\n}\n"
                      "HW_BODY float f(float x) {\n  float y, z = x;\n  g(x * x, y, z);\n  return y + z;\n}",
                      "f"),
              testing::AllOf(HasSubstr("void some_g(float x, out precise float y, inout precise float z) {"),
                             HasSubstr("precise float argument_0 = x * x;\n  some_g(argument_0, y, z);")));
}

TEST(GlslLibrary, ErrorsSayWhere) {
  EXPECT_THAT(text_of("HW_BODY float f(float x) {\n  return y;\n}", "f"), HasSubstr("some.h:3"));
  EXPECT_THAT(text_of("HW_BODY float f(float x) {\n  return g<3>(x);\n}", "f"), HasSubstr("some.h:3"));
  EXPECT_THAT(text_of("HW_BODY float f(float x) {\n  return f(x);\n}", "f"), HasSubstr("calls itself"));
  EXPECT_THAT(text_of("HW_BODY float f(float x) {\n  return ::lgammaf(x);\n}", "f"),
              testing::AllOf(HasSubstr("some.h:3"), HasSubstr("::lgammaf")));
  EXPECT_THAT(text_of("HW_BODY float f(float x) {\n  return x + 0.0f;\n}", "f"), HasSubstr("literal 0"));
  EXPECT_FALSE(GlslLibrary(kernels()).add("unary::none", Scalar::f32));
  EXPECT_THAT(text_of("HW_BODY float f(float x) {\n  return x & 1;\n}", "f"), HasSubstr("& of floats"));
}

}  // namespace
}  // namespace hw::shader
