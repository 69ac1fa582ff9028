// Fields that the device computes: the same picture as by the CPU, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "app/viewport/field_kernel.h"
#include "app/viewport/headless.h"
#include "engine/core/codes.h"
#include "tests/viewport/test_gpu_fields.h"
#include "tests/viewport/test_meshes.h"
#include "tests/viewport/with_vulkan.h"

namespace hw::viewport::gpu_field_test {
namespace {

class GpuFieldTest : public test::WithVulkan {
 protected:
  static Result<RenderedImage> render(const Mesh& mesh, std::shared_ptr<const GpuField> gpu, const ColorField& cpu = {},
                                      View view = View::field, int width = 161, int height = 90) {
    RenderOptions options;
    options.view = view;
    options.gpu_field = std::move(gpu);
    Camera camera;
    return render_headless(*context_, mesh, camera, width, height, cpu, options);
  }
};

/// What is drawn where the mesh is: without light the field's own colours.
std::vector<std::array<int, 3>> colours(const RenderedImage& drawn) {
  std::vector<std::array<int, 3>> all;
  for (size_t i = 0; i < drawn.covered.size(); ++i)
    if (drawn.covered[i])
      all.push_back({drawn.image.rgba[4 * i], drawn.image.rgba[4 * i + 1], drawn.image.rgba[4 * i + 2]});
  EXPECT_GT(all.size(), 1000u);
  return all;
}

int largest_difference(const RenderedImage& a, const RenderedImage& b) {
  int largest = 0;
  for (size_t i = 0; i < a.image.rgba.size(); ++i)
    largest = std::max(largest, std::abs(int{a.image.rgba[i]} - int{b.image.rgba[i]}));
  return largest;
}

// 161 × 90: no multiple of a workgroup's sides.
TEST_F(GpuFieldTest, ThePictureIsTheOneByTheCpu) {
  const auto cpu = render(test::cube(), nullptr, test::position_field());
  const auto gpu = render(test::cube(), test::gpu_position_field());
  ASSERT_TRUE(cpu && gpu) << (cpu ? gpu : cpu).error().text();
  EXPECT_LE(largest_difference(*cpu, *gpu), 1);
  EXPECT_TRUE(gpu->field.empty()) << "no evaluator made it";
}

// A picture of several bands, each submitted by itself, the last one lower than the others.
TEST_F(GpuFieldTest, ThePictureIsTheOneByTheCpuInBands) {
  constexpr int kWidth = 601, kHeight = 410;
  static_assert(kWidth * kHeight > 3 * FieldPass::kBand);
  const auto cpu = render(test::cube(), nullptr, test::position_field(), View::field, kWidth, kHeight);
  const auto gpu = render(test::cube(), test::gpu_position_field(), {}, View::field, kWidth, kHeight);
  ASSERT_TRUE(cpu && gpu) << (cpu ? gpu : cpu).error().text();
  EXPECT_LE(largest_difference(*cpu, *gpu), 1);
}

TEST_F(GpuFieldTest, ItsWeightsAreRead) {
  const auto whole = render(test::cube(), test::gpu_position_field()),
             half = render(test::cube(), test::gpu_position_field(0.5f));
  ASSERT_TRUE(whole && half);
  const auto of_whole = colours(*whole), of_half = colours(*half);
  int most = 0;
  for (size_t i = 0; i < of_whole.size(); ++i)
    for (size_t c = 0; c < 3; ++c) {
      ASSERT_NEAR(of_whole[i][c] * 0.5, of_half[i][c], 1) << i;
      most = std::max(most, of_whole[i][c]);
    }
  EXPECT_GT(most, 200);
}

TEST_F(GpuFieldTest, NormalsAreTheSurfaces) {
  auto field = std::make_shared<GpuField>(*test::gpu_field(""));
  auto shader = std::make_shared<shader::FieldShader>(*field->shader);
  shader->text = "vec3 field(vec3 n, vec3 p) { return abs(n) + 0.0 * p; }\n";
  shader->variables = {{"normal", "n", 3}, {"position", "p", 3}};
  field->shader = shader;
  const auto drawn = render(test::cube(), field);
  ASSERT_TRUE(drawn) << drawn.error().text();
  const auto all = colours(*drawn);
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t c = 0; c < 3; ++c) ASSERT_NEAR(all[i][c], 255 * std::abs(drawn->normals[i][c]), 1) << i;
}

TEST_F(GpuFieldTest, ColoursAreClampedAndNaNIsBlack) {
  const auto drawn = render(test::cube(), test::gpu_field("return vec3(7.0, -3.0, uintBitsToFloat(0x7fc00000u));"));
  ASSERT_TRUE(drawn) << drawn.error().text();
  for (const auto& c : colours(*drawn)) ASSERT_EQ(c, (std::array{255, 0, 0}));
}

TEST_F(GpuFieldTest, OtherViewsLeaveItOut) {
  const auto drawn = render(test::cube(), test::gpu_field("no GLSL"), {}, View::normals);
  ASSERT_TRUE(drawn) << drawn.error().text();
}

TEST_F(GpuFieldTest, WhatTheDeviceCannotComputeIsSaid) {
  const auto reason = [](const std::function<void(shader::FieldShader&)>& change) {
    auto field = std::make_shared<GpuField>(*test::gpu_position_field());
    auto shader = std::make_shared<shader::FieldShader>(*field->shader);
    change(*shader);
    field->shader = shader;
    const auto drawn = render(test::cube(), field);
    if (drawn) return std::string("drawn");
    EXPECT_EQ(drawn.error().code, codes::no_shader);
    return drawn.error().reason;
  };
  using Shader = shader::FieldShader;
  EXPECT_EQ(reason([](Shader& s) { s.channels = 4; }), "it has 4 channels, not 3.");
  EXPECT_EQ(reason([](Shader& s) { s.variables = {{"uv", "uv", 2}}; }), "it depends on uv.");
  EXPECT_NE(reason([](Shader& s) { s.words = size_t{1} << 40; }).find("MiB that a shader can read"), std::string::npos);
  const std::string wrong = reason([](Shader& s) { s.text = "vec3 field(vec3 position) { return nothing; }\n"; });
  EXPECT_NE(wrong.find("'nothing' : undeclared identifier"), std::string::npos) << wrong;
}

}  // namespace
}  // namespace hw::viewport::gpu_field_test
