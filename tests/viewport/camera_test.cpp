// Camera: parsing, framing, clip space.
#include "app/viewport/camera.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace hw::viewport {
namespace {

constexpr Float3 kMin{-1, -1, -1}, kMax{1, 1, 1};

/// Clip coordinates after the division by w, with w last.
std::array<float, 4> project(const Camera& camera, const Float3& p, float aspect = 1) {
  const Mat4 m = camera.clip_from_object(aspect);
  std::array<float, 4> c{};
  for (int row = 0; row < 4; ++row) c[row] = m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row];
  return {c[0] / c[3], c[1] / c[3], c[2] / c[3], c[3]};
}

TEST(Camera, ReadsThreeOrFourNumbers) {
  const auto three = Camera::parse("30, -20,1.5");
  ASSERT_TRUE(three);
  EXPECT_FLOAT_EQ(three->yaw, 30);
  EXPECT_FLOAT_EQ(three->pitch, -20);
  EXPECT_FLOAT_EQ(three->distance, 1.5f);
  const auto four = Camera::parse("0,0,1,55");
  ASSERT_TRUE(four);
  EXPECT_FLOAT_EQ(four->fov, 55);
}

TEST(Camera, RefusesWhatIsNoCamera) {
  for (const char* text :
       {"", "1,2", "1,2,3,4,5", "a,2,3", "1,2,", "1,2,0", "1,2,-3", "1,95,1", "1,2,nan", "1,2,1,0"}) {
    const auto camera = Camera::parse(text);
    ASSERT_FALSE(camera) << text;
    EXPECT_EQ(camera.error().code, "HW-V010") << text;
    EXPECT_FALSE(camera.error().remedy.empty());
  }
}

TEST(Camera, FramesTheBoxFromEverySideAndShape) {
  for (const float aspect : {0.4f, 1.0f, 2.5f})
    for (float yaw = 0; yaw < 360; yaw += 45)
      for (float pitch = -80; pitch <= 80; pitch += 40) {
        Camera camera;
        camera.yaw = yaw;
        camera.pitch = pitch;
        camera.frame(kMin, kMax, 1, aspect);
        float reach = 0;
        for (int corner = 0; corner < 8; ++corner) {
          const Float3 p{corner & 1 ? 1.0f : -1.0f, corner & 2 ? 1.0f : -1.0f, corner & 4 ? 1.0f : -1.0f};
          const auto c = project(camera, p, aspect);
          reach = std::max({reach, std::abs(c[0]), std::abs(c[1])});
          EXPECT_GE(c[2], 0);
          EXPECT_LE(c[2], 1);
        }
        EXPECT_LE(reach, 1.0f);
        EXPECT_GE(reach, 0.75f) << "the mesh fills the picture";
      }
}

TEST(Camera, ClipSpaceIsVulkans) {
  Camera camera;
  camera.yaw = camera.pitch = 0;
  camera.frame(kMin, kMax);
  EXPECT_LT(project(camera, {0, 0.5f, 0})[1], 0) << "y runs down";
  EXPECT_GT(project(camera, {0.5f, 0, 0})[0], 0);
  EXPECT_GT(project(camera, {0, 0, 1})[2], project(camera, {0, 0, -1})[2]) << "near is larger";
}

TEST(Camera, ZoomMagnifiesAboutThePointAndKeepsTheSceneBetweenThePlanes) {
  Camera camera;
  camera.frame(kMin, kMax);
  const float before = project(camera, {0.1f, 0, 0})[0] - project(camera, {0, 0, 0})[0];
  for (int i = 0; i < 10; ++i) camera.zoom(std::pow(50.0f, 0.1f));
  const float after = project(camera, {0.1f, 0, 0})[0] - project(camera, {0, 0, 0})[0];
  EXPECT_NEAR(after / before, 50, 8) << "perspective bends it a little";
  for (int corner = 0; corner < 8; ++corner) {
    const auto c = project(camera, {corner & 1 ? 1.0f : -1.0f, corner & 2 ? 1.0f : -1.0f, corner & 4 ? 1.0f : -1.0f});
    EXPECT_GE(c[2], 0);
    EXPECT_LE(c[2], 1);
    EXPECT_GT(c[3], 0) << "the eye stays outside";
  }
  for (int i = 0; i < 10; ++i) camera.zoom(std::pow(50.0f, -0.1f));
  EXPECT_NEAR((project(camera, {0.1f, 0, 0})[0] - project(camera, {0, 0, 0})[0]) / before, 1, 0.05);
}

TEST(Camera, PanMovesThePictureByTheFractionAsked) {
  Camera camera;
  camera.yaw = camera.pitch = 0;
  camera.frame(kMin, kMax);
  camera.pan(0.25f, 0);
  EXPECT_NEAR(project(camera, {0, 0, 0})[0], -0.5f, 1e-4f) << "clip space is two picture heights wide";
}

}  // namespace
}  // namespace hw::viewport
