// Every view, pixel by pixel: what colour stands for what.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/viewport/headless.h"
#include "tests/viewport/test_meshes.h"
#include "tests/viewport/with_vulkan.h"

namespace hw::viewport::views_test {
namespace {

constexpr int kSide = 128;

class Views : public test::WithVulkan {
 protected:
  static Result<RenderedImage> render(const Mesh& mesh, const Camera& camera, View view, ColorField field = {}) {
    RenderOptions options;
    options.view = view;
    options.compose.background = Background::plain({1, 0, 1});
    return render_headless(*context_, mesh, camera, kSide, kSide, field, options);
  }
};

using Rgb = std::array<int, 3>;
constexpr Rgb kWireFace{51, 56, 66};  // FACE in resources/shaders/wire.frag

Rgb pixel(const RenderedImage& r, int x, int y) {
  const uint8_t* p = &r.image.rgba[(static_cast<size_t>(y) * r.image.width + x) * 4];
  return {p[0], p[1], p[2]};
}

/// The quad fills the picture to the pixel: u = (x + ½)/128.
Camera filling_quad() {
  Camera camera;
  camera.yaw = camera.pitch = 0;
  camera.fov = 40;
  camera.distance = 1 / std::tan(20.0f * 3.14159265f / 180);
  return camera;
}

Mesh sphere() {
  Mesh mesh;
  mesh.name = "sphere";
  constexpr int kRings = 32, kSectors = 64;
  for (int i = 0; i <= kRings; ++i)
    for (int k = 0; k <= kSectors; ++k) {
      const double a = 3.14159265358979 * i / kRings, b = 2 * 3.14159265358979 * k / kSectors;
      const Float3 p{float(std::sin(a) * std::cos(b)), float(std::cos(a)), float(std::sin(a) * std::sin(b))};
      mesh.positions.push_back(p);
      mesh.normals.push_back(p);
    }
  const auto at = [](int i, int k) { return static_cast<uint32_t>(i * (kSectors + 1) + k); };
  for (int i = 0; i < kRings; ++i)
    for (int k = 0; k < kSectors; ++k) {
      mesh.triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k)});
      mesh.triangles.push_back({at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)});
    }
  mesh.parts = {{0, static_cast<uint32_t>(mesh.triangles.size()), nullptr, {}}};
  mesh.bounds_min = {-1, -1, -1};
  mesh.bounds_max = {1, 1, 1};
  return mesh;
}

TEST_F(Views, NormalsOfASphereAreItsPositions) {
  const auto r = render(sphere(), *Camera::parse("25,-15,4"), View::normals, test::position_field());
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_TRUE(r->field.empty()) << "no view but the field's costs an evaluation";
  size_t i = 0;
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      if (!r->covered[y * kSide + x]) continue;
      const Float3& p = r->positions[i++];
      const double length = std::hypot(p[0], p[1], p[2]);
      const Rgb seen = pixel(*r, x, y);
      for (size_t c = 0; c < 3; ++c)
        ASSERT_NEAR(seen[c], 255 * (0.5 + 0.5 * p[c] / length), 1.5) << x << "," << y << " channel " << c;
    }
  EXPECT_GT(i, 2000u);
}

TEST_F(Views, UvIsRedAndGreen) {
  const auto r = render(test::quad(nullptr), filling_quad(), View::uv);
  ASSERT_TRUE(r) << r.error().text();
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      const Rgb seen = pixel(*r, x, y);
      ASSERT_NEAR(seen[0], 255 * (x + 0.5) / kSide, 1) << x << "," << y;
      ASSERT_NEAR(seen[1], 255 * (1 - (y + 0.5) / kSide), 1) << x << "," << y;
      ASSERT_EQ(seen[2], 0);
    }
}

TEST_F(Views, CheckerHasSixteenSquaresASide) {
  const auto r = render(test::quad(nullptr), filling_quad(), View::checker);
  ASSERT_TRUE(r) << r.error().text();
  int darks = 0, lights = 0;
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      const Rgb seen = pixel(*r, x, y);
      darks += std::abs(seen[0] - 64) <= 1;
      lights += std::abs(seen[0] - 230) <= 1;
      // Eight pixels a square: away from the lines the colour is exact.
      if (x % 8 < 2 || x % 8 > 5 || y % 8 < 2 || y % 8 > 5) continue;
      ASSERT_NEAR(seen[0], (x / 8 + (kSide - 1 - y) / 8) % 2 ? 230 : 64, 1) << x << "," << y;
      ASSERT_TRUE(seen[0] == seen[1] && seen[1] == seen[2]);
    }
  EXPECT_EQ(darks, lights);
  EXPECT_GT(darks + lights, kSide * kSide / 2);
}

TEST_F(Views, FarSquaresTurnGrey) {
  Camera camera = filling_quad();
  camera.distance *= 16;  // eight pixels a side: two squares a pixel
  const auto r = render(test::quad(nullptr), camera, View::checker);
  ASSERT_TRUE(r) << r.error().text();
  for (int y = 62; y < 66; ++y)
    for (int x = 62; x < 66; ++x) EXPECT_NEAR(pixel(*r, x, y)[0], 255 * 0.575, 3);
}

TEST_F(Views, WiresFollowTheEdges) {
  const auto r = render(test::quad(nullptr), filling_quad(), View::wireframe);
  ASSERT_TRUE(r) << r.error().text();
  int drawn = 0;
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      const Rgb seen = pixel(*r, x, y);
      // The diagonal from bottom left to top right, and the border.
      const double diagonal = std::abs((x + 0.5) - (kSide - y - 0.5)) / std::sqrt(2.0);
      const double border = std::min({x + 0.5, y + 0.5, kSide - x - 0.5, kSide - y - 0.5});
      if (std::min(diagonal, border) > 1.2) {
        ASSERT_EQ(seen, kWireFace) << x << "," << y;
      }
      if (diagonal < 0.2) {
        ASSERT_GT(seen[0], 180) << x << "," << y;
      }
      drawn += seen != kWireFace;
    }
  EXPECT_GT(drawn, 5 * kSide - 20) << "four sides and the diagonal";
  EXPECT_LT(drawn, kSide * kSide / 12);
}

TEST_F(Views, WiresBehindTheSurfaceAreHidden) {
  Camera camera;
  camera.yaw = camera.pitch = 0;
  camera.frame({-1, -1, -1}, {1, 1, 1});
  const auto r = render(test::cube(), camera, View::wireframe);
  ASSERT_TRUE(r) << r.error().text();
  for (const Float3& p : r->positions) ASSERT_NEAR(p[2], 1, 1e-5);
  EXPECT_EQ(pixel(*r, 50, 64), kWireFace);
}

TEST_F(Views, TextureIsTheMeshsOwnWhateverTheField) {
  auto image = std::make_shared<Image>(Image{1, 2, {255, 0, 0, 255, 0, 0, 255, 255}});
  const auto r = render(test::quad(image), filling_quad(), View::texture, test::position_field());
  ASSERT_TRUE(r) << r.error().text();
  // The centres of the two texels lie at a quarter and three quarters of the height.
  EXPECT_GE(pixel(*r, 64, 31)[0], 252);
  EXPECT_LE(pixel(*r, 64, 31)[2], 3);
  EXPECT_GE(pixel(*r, 64, 96)[2], 252);
  EXPECT_LE(pixel(*r, 64, 96)[0], 3);
}

TEST_F(Views, APlainBackgroundIsExact) {
  Camera camera = filling_quad();
  camera.distance *= 2;
  const auto r = render(test::quad(nullptr), camera, View::texture);
  ASSERT_TRUE(r) << r.error().text();
  for (const int y : {0, 64, 127}) EXPECT_EQ(pixel(*r, 0, y), (Rgb{255, 0, 255}));
}

TEST_F(Views, CoordinatesThatAreNotThereAreAnError) {
  for (const View view : {View::uv, View::checker}) {
    const auto r = render(test::cube(), filling_quad(), view);
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().code, "HW-A003");
  }
  EXPECT_TRUE(render(test::cube(), filling_quad(), View::normals));
}

}  // namespace
}  // namespace hw::viewport::views_test
