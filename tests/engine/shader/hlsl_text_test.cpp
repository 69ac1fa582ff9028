// GLSL that is printed, as HLSL. That glslang takes it, and what it computes: tests/shader. That Slang's compiler takes
// it: tests/interop/slang_fields.py.
#include "engine/shader/hlsl_text.h"

#include <gtest/gtest.h>

namespace hw::shader {
namespace {

std::string slang(std::string_view glsl) {
  return hlsl_text(glsl, HlslDialect::slang);
}

TEST(HlslText, WordsTypesAndArrays) {
  EXPECT_EQ(slang("vec3 f(vec3 at) {\n  // a vec3\n  return vec3(uintBitsToFloat(weights[0]), at[1], 0.5);\n}\n"),
            "float3 f(float3 at) {\n  // a vec3\n  return float3(asfloat(weights[0]), at[1], 0.5);\n}\n");
  EXPECT_EQ(slang("const float kA[2] = float[](1.0, -f(2.0));\n"), "static const float kA[2] = {1.0, -f(2.0)};\n");
  EXPECT_EQ(slang("  const float x[1] = float[](uintBitsToFloat(3u));\n"), "  const float x[1] = {asfloat(3u)};\n");
}

TEST(HlslText, Literals) {
  EXPECT_EQ(slang("x = 1.5lf + 1e-5lf - 2.0e+3;\n"), "x = 1.5L + 1e-5L - 2.0e+3;\n");
  EXPECT_EQ(slang("k = 3ul + 0x7FFul - 4l + 0x4Fu - 0xFE-1;\n"), "k = 3ull + 0x7FFull - 4ll + 0x4Fu - 0xFE-1;\n");
}

TEST(HlslText, BitsOfDoublesHaveFunctions) {
  const std::string text =
      slang("double f(double x) {\n  return uint64BitsToDouble(doubleBitsToUint64(x) + 1ul);\n}\n");
  EXPECT_NE(text.find("uint64_t bits_of_double(double x) {"), std::string::npos);
  EXPECT_NE(text.find("  return double_of_bits(bits_of_double(x) + 1ull);"), std::string::npos) << text;
  EXPECT_EQ(slang("float f() {\n}\n"), "float f() {\n}\n");
}

TEST(HlslText, HlslAndSlangDiffer) {
  EXPECT_EQ(slang("x = fma(a, roundEven(b), c);\n"), "x = fma(a, rint(b), c);\n");
  EXPECT_EQ(hlsl_text("x = fma(a, roundEven(b), c);\n", HlslDialect::hlsl), "x = mad(a, round(b), c);\n");
  const std::string_view arrays = "vec3 field(vec2 uv, float[32] x, float[5] fma_) {\n  return vec3(x[0] + uv[1]);\n";
  EXPECT_EQ(hlsl_text(arrays, HlslDialect::hlsl),
            "float3 field(float2 uv, float x[32], float fma_[5]) {\n  return float3(x[0] + uv[1]);\n");
  EXPECT_EQ(slang(arrays), "float3 field(float2 uv, float[32] x, float[5] fma_) {\n  return float3(x[0] + uv[1]);\n");
}

}  // namespace
}  // namespace hw::shader
