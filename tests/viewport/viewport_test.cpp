// The headless renderer: coverage, positions, colours, split, close-ups, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>

#include "app/viewport/cpu_shading.h"
#include "app/viewport/headless.h"
#include "app/viewport/schedule.h"
#include "app/viewport/shade_job.h"
#include "engine/core/codes.h"
#include "tests/viewport/test_meshes.h"
#include "tests/viewport/with_vulkan.h"

namespace hw::viewport::viewport_test {
namespace {

/// Straight at the quad; its edge lies at `fill` of the half picture.
Camera facing_quad(float fill) {
  Camera camera;
  camera.yaw = camera.pitch = 0;
  camera.fov = 40;
  camera.distance = 1 / (fill * std::tan(20.0f * 3.14159265f / 180));
  return camera;
}

TEST(ShadeJob, WhatIsThrownIsTheResultsError) {
  ShadeJob job;
  job.gate = std::make_shared<DeviceGate>();
  job.raster = reinterpret_cast<VkFence>(uintptr_t{1});  // never waited for: the question before it throws
  job.run([]() -> bool { throw std::bad_alloc(); });
  ASSERT_TRUE(job.result && job.result->error);
  EXPECT_EQ(job.result->error->code, codes::out_of_memory);
}

class ViewportTest : public test::WithVulkan {
 protected:
  static Result<RenderedImage> render(const Mesh& mesh, const Camera& camera, int width, int height,
                                      const ColorField& field, const RenderOptions& options = {}) {
    return render_headless(*context_, mesh, camera, width, height, field, options);
  }
};

std::array<int, 3> pixel(const RenderedImage& r, int x, int y) {
  const uint8_t* p = &r.image.rgba[(static_cast<size_t>(y) * r.image.width + x) * 4];
  return {p[0], p[1], p[2]};
}

TEST_F(ViewportTest, CoversTheQuadToThePixel) {
  const auto r = render(test::quad(nullptr), facing_quad(0.5f), 64, 64, test::position_field());
  ASSERT_TRUE(r) << r.error().text();
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x)
      ASSERT_EQ(r->covered[y * 64 + x], x >= 16 && x < 48 && y >= 16 && y < 48) << x << "," << y;
  EXPECT_EQ(r->field.size(), 32u * 32);
  EXPECT_EQ(r->texture.size(), 32u * 32);
}

TEST_F(ViewportTest, PositionsAndNormalsAreTheObjectsOwn) {
  const auto r = render(test::quad(nullptr), facing_quad(0.5f), 64, 64, {});
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_TRUE(r->field.empty());
  size_t i = 0;
  for (int y = 16; y < 48; ++y)
    for (int x = 16; x < 48; ++x, ++i) {
      EXPECT_NEAR(r->positions[i][0], (x + 0.5 - 32) / 16, 1e-5);
      EXPECT_NEAR(r->positions[i][1], (32 - y - 0.5) / 16, 1e-5);
      EXPECT_NEAR(r->positions[i][2], 0, 1e-6);
      EXPECT_EQ(r->normals[i], (Float3{0, 0, 1}));
    }
}

TEST_F(ViewportTest, ThePictureIsTheField) {
  const auto r = render(test::cube(), *Camera::parse("30,20,5"), 96, 64, test::position_field());
  ASSERT_TRUE(r) << r.error().text();
  size_t i = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x) {
      if (!r->covered[y * 96 + x]) continue;
      const auto p = pixel(*r, x, y);
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(p[c], std::lround(std::clamp(r->field[i][c], 0.0f, 1.0f) * 255)) << x << "," << y;
      ++i;
    }
  EXPECT_EQ(i, r->field.size());
  EXPECT_GT(i, 500u);
}

TEST_F(ViewportTest, TheTextureIsTheImageBilinear) {
  const auto image = test::smooth_texture(64);
  const auto r = render(test::quad(image), facing_quad(0.9f), 200, 200, test::texture_field(image));
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_GT(psnr(r->field, r->texture), 55) << "8 bits of sub-texel position are all that Vulkan promises";
}

TEST_F(ViewportTest, VertexColoursAndPartsOfSeveralMaterials) {
  Mesh mesh = test::quad(nullptr);
  mesh.colours = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  mesh.parts = {{0, 1, std::make_shared<Image>(Image{1, 1, {255, 255, 255, 255}}), {1, 1, 1, 1}},
                {1, 1, nullptr, {0.5f, 1, 1, 1}}};
  const auto r = render(mesh, facing_quad(0.9f), 64, 64, {});
  ASSERT_TRUE(r) << r.error().text();
  const auto textured = pixel(*r, 48, 40), plain = pixel(*r, 16, 24);  // below and above the diagonal
  EXPECT_NEAR(textured[0], 2 * plain[0], 3);
  EXPECT_GT(textured[0], 200);
  EXPECT_EQ(textured[1] + textured[2] + plain[1] + plain[2], 0);
}

TEST_F(ViewportTest, TextureRowZeroIsAtTheTop) {
  auto image = std::make_shared<Image>(Image{1, 2, {255, 0, 0, 255, 0, 0, 255, 255}});
  const auto r = render(test::quad(image), facing_quad(0.9f), 64, 64, {});
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_GT(pixel(*r, 32, 18)[0], 240);
  EXPECT_GT(pixel(*r, 32, 46)[2], 240);
}

TEST_F(ViewportTest, SplitDividesTextureAndField) {
  RenderOptions options;
  options.compose.split = 0.5f;
  auto mesh = test::quad(nullptr);
  mesh.parts[0].base_color = {0, 1, 0, 1};
  const ColorField red = [](auto p, auto) -> Result<std::vector<Float3>> {
    return std::vector<Float3>(p.size(), {1, 0, 0});
  };
  const auto r = render(mesh, facing_quad(0.9f), 64, 64, red, options);
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_EQ(pixel(*r, 31, 32), (std::array{0, 255, 0}));
  EXPECT_GT(pixel(*r, 32, 32)[2], 200) << "the divider, one pixel";
  EXPECT_EQ(pixel(*r, 33, 32), (std::array{255, 0, 0}));
  options.compose.divider = false;
  const auto bare = render(mesh, facing_quad(0.9f), 64, 64, red, options);
  ASSERT_TRUE(bare);
  EXPECT_EQ(pixel(*bare, 32, 32), (std::array{255, 0, 0}));
}

TEST_F(ViewportTest, CloseUpIsSharpAtFiftyTimes) {
  Camera camera = facing_quad(0.9f);
  camera.set_scene({-1, -1, 0}, {1, 1, 0});
  camera.target = {0.3f, -0.2f, 0};
  camera.zoom(50);
  const auto r = render(test::quad(nullptr), camera, 400, 400, test::position_field());
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_EQ(r->field.size(), 400u * 400);
  // A texel would repeat a position or jump; here every pixel steps on by the same small amount.
  const double step = 2 * std::tan(20 * 3.14159265 / 180) * camera.distance / camera.magnification / 400;
  EXPECT_LT(step, 2.0 / 400 / 40);
  double worst = 0;
  for (int y = 0; y < 400; ++y)
    for (int x = 0; x < 400; ++x) {
      const Float3& p = r->positions[y * 400 + x];
      worst = std::max(
          {worst, std::abs(p[0] - (0.3 + (x + 0.5 - 200) * step)), std::abs(p[1] - (-0.2 + (200 - y - 0.5) * step))});
    }
  EXPECT_LT(worst, 0.1 * step) << "a tenth of a pixel";
}

TEST_F(ViewportTest, NearFacesHideFarOnes) {
  Camera camera;
  camera.yaw = camera.pitch = 0;
  camera.frame({-1, -1, -1}, {1, 1, 1});
  const auto r = render(test::cube(), camera, 64, 64, {});
  ASSERT_TRUE(r) << r.error().text();
  for (const Float3& p : r->positions) ASSERT_NEAR(p[2], 1, 1e-5);
}

TEST_F(ViewportTest, LightDarkensOnlyWhenAsked) {
  Camera camera;
  camera.yaw = 45;
  camera.frame({-1, -1, -1}, {1, 1, 1});
  RenderOptions options;
  const auto bare = render(test::cube(), camera, 64, 64, {}, options);
  options.compose.lit = true;
  const auto lit = render(test::cube(), camera, 64, 64, {}, options);
  ASSERT_TRUE(bare && lit);
  EXPECT_EQ(pixel(*bare, 20, 32), (std::array{204, 204, 204})) << "base colour 0.8";
  EXPECT_LT(pixel(*lit, 20, 32)[0], 190);
}

TEST_F(ViewportTest, MistakesAreNamed) {
  const auto code = [](const Result<RenderedImage>& r) { return r ? std::string("none") : r.error().code; };
  const Camera camera = facing_quad(0.5f);
  const Mesh quad = test::quad(nullptr);
  EXPECT_EQ(code(render(quad, camera, 0, 10, {})), "HW-V006");
  EXPECT_EQ(code(render(quad, camera, 10, -1, {})), "HW-V006");
  EXPECT_EQ(code(render(quad, camera, 1 << 20, 10, {})), "HW-V006");
  EXPECT_EQ(code(render(Mesh{}, camera, 10, 10, {})), "HW-V007");
  Mesh broken = quad;
  broken.triangles[0][1] = 99;
  EXPECT_EQ(code(render(broken, camera, 10, 10, {})), "HW-V008");
  broken = quad;
  broken.normals.pop_back();
  EXPECT_EQ(code(render(broken, camera, 10, 10, {})), "HW-V008");
  broken = quad;
  broken.parts[0].triangle_count = 3;
  EXPECT_EQ(code(render(broken, camera, 10, 10, {})), "HW-V008");
  EXPECT_EQ(code(render(quad, camera, 10, 10,
                        [](auto, auto) -> Result<std::vector<Float3>> { return std::vector<Float3>(1); })),
            "HW-V011");
  EXPECT_EQ(code(render(quad, camera, 10, 10,
                        [](auto, auto) -> Result<std::vector<Float3>> {
                          return Error{"HW-X1", "", "no", ""};
                        })),
            "HW-X1");
}

TEST(Psnr, IsPeakOneOverAllChannels) {
  EXPECT_TRUE(std::isinf(psnr({{0, 0, 0}}, {{0, 0, 0}})));
  EXPECT_TRUE(std::isnan(psnr({}, {})));
  EXPECT_TRUE(std::isnan(psnr({{0, 0, 0}}, {})));
  EXPECT_NEAR(psnr({{0.1f, 0.1f, 0.1f}}, {{0, 0, 0}}), 20, 1e-4);
}

TEST(Schedule, AdaptsToTheFieldsSpeed) {
  Schedule schedule;
  EXPECT_EQ(schedule.moving_factor(1e6, Shading::cpu), 4) << "unknown: careful";
  for (int i = 0; i < 8; ++i) schedule.measured(1e6, Shading::cpu, 0.01);
  EXPECT_EQ(schedule.moving_factor(1e6, Shading::cpu), 1);
  EXPECT_EQ(schedule.first_factor(1e6, Shading::cpu), 1);
  for (int i = 0; i < 8; ++i) schedule.measured(1e6, Shading::cpu, 2.0);
  EXPECT_EQ(schedule.moving_factor(1e6, Shading::cpu), 8);
  EXPECT_GT(schedule.first_factor(1e6, Shading::cpu), 1);
  EXPECT_EQ(schedule.moving_factor(1e6, Shading::gpu), 4) << "what one takes says nothing of the other";
  schedule.measured(1e6, Shading::gpu, 0.001);
  EXPECT_EQ(schedule.moving_factor(1e6, Shading::gpu), 1);
  EXPECT_EQ(schedule.moving_factor(1e6, Shading::cpu), 8);
}

TEST(HalfToFloat, KnowsTheSpecialValues) {
  EXPECT_EQ(half_to_float(0x3c00), 1.0f);
  EXPECT_EQ(half_to_float(0xc000), -2.0f);
  EXPECT_EQ(half_to_float(0x0001), std::ldexp(1.0f, -24));
  EXPECT_TRUE(std::isinf(half_to_float(0x7c00)));
  EXPECT_EQ(half_to_float(0x0000), 0.0f);
}

}  // namespace
}  // namespace hw::viewport::viewport_test
