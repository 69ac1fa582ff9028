// Baking: which texel shows what, what is done at seams, which texture coordinates can hold a picture, how it is
// stopped.
#include "engine/bake/bake.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/bake/unwrap.h"
#include "engine/bake/uv_raster.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using Float3 = std::array<float, 3>;

const ColorField kPlace = [](auto positions, auto) -> Result<std::vector<Float3>> {
  return std::vector<Float3>(positions.begin(), positions.end());
};

Mesh quad() {
  return *test::textured_quad();
}

std::string code_of(const Result<Bake>& r) {
  return r ? "none" : r.error().code;
}

TEST(UvRaster, TrianglesOfAPlanarMeshShareNoTexelAndLeaveNoHole) {
  // A jittered grid over the uv square: every texel belongs to exactly one triangle.
  constexpr int kCells = 13, kSize = 97;
  std::mt19937 random(7);
  Mesh mesh;
  for (int y = 0; y <= kCells; ++y)
    for (int x = 0; x <= kCells; ++x) {
      const auto jitter = [&](int i) {
        return i == 0 || i == kCells ? 0.0f : 0.6f * (static_cast<float>(random() % 1000) / 1000 - 0.5f);
      };
      const float u = (static_cast<float>(x) + jitter(x)) / kCells, v = (static_cast<float>(y) + jitter(y)) / kCells;
      mesh.uvs.push_back({u, v});
      mesh.positions.push_back({u, v, 0});
      mesh.normals.push_back({0, 0, 1});
    }
  const auto at = [](int x, int y) { return static_cast<uint32_t>(y * (kCells + 1) + x); };
  for (int y = 0; y < kCells; ++y)
    for (int x = 0; x < kCells; ++x) {
      mesh.triangles.push_back({at(x, y), at(x + 1, y), at(x + 1, y + 1)});
      mesh.triangles.push_back({at(x, y + 1), at(x, y), at(x + 1, y + 1)});  // wound the other way
    }
  const TriangleRange whole{0, static_cast<uint32_t>(mesh.triangles.size())};
  // Bounds of no size: any second claim counts as an overlap.
  const auto raster = rasterise_uvs(mesh, std::span(&whole, 1), kSize);
  ASSERT_TRUE(raster) << raster.error().text();
  EXPECT_EQ(raster->covered, size_t{kSize} * kSize);
  EXPECT_EQ(raster->overlapping, 0u);
  for (int y = 0; y < kSize; ++y)
    for (int x = 0; x < kSize; ++x) {
      const SurfacePoint p = surface_at_texel(mesh, raster->triangle[static_cast<size_t>(y * kSize + x)], x, y, kSize);
      EXPECT_NEAR(p.position[0], (x + 0.5) / kSize, 0.5 / 256 / kSize + 1e-6);
      EXPECT_NEAR(p.position[1], 1 - (y + 0.5) / kSize, 0.5 / 256 / kSize + 1e-6);
    }
}

TEST(UvRaster, TheGutterContinuesAcrossTheBorder) {
  Mesh mesh = quad();
  for (auto& uv : mesh.uvs) uv = {0.5f * uv[0], 0.5f * uv[1]};  // the lower left quarter
  const TriangleRange whole{0, 2};
  auto raster = rasterise_uvs(mesh, std::span(&whole, 1), 32);
  ASSERT_TRUE(raster);
  EXPECT_EQ(raster->covered, 16u * 16);
  grow_gutter(*raster, 3);
  const auto filled = [&](int x, int y) {
    return raster->triangle[static_cast<size_t>(y * 32 + x)] != UvRaster::kNone;
  };
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) {
      const bool column = x < 16 + 3 || x >= 32 - 3, row = y >= 16 - 3 || y < 3;
      EXPECT_EQ(filled(x, y), column && row) << x << "," << y;
    }
  // The nearest place of the surface: its edge.
  const SurfacePoint right = surface_at_texel(mesh, raster->triangle[31 * 32 + 18], 18, 31, 32);
  EXPECT_FLOAT_EQ(right.position[0], 1);
  EXPECT_NEAR(right.position[1], 1.0 / 32, 1e-6);
}

TEST(Bake, EachTexelShowsItsPlace) {
  BakeOptions options;
  options.size = 64;
  std::vector<double> progress;
  options.progress = [&](double p) { progress.push_back(p); };
  const auto baked = bake_field(quad(), kPlace, options);
  ASSERT_TRUE(baked) << baked.error().text();
  EXPECT_FALSE(baked->unwrapped);
  EXPECT_EQ(baked->covered, 64u * 64);
  const MeshPart& part = baked->mesh->parts.at(0);
  EXPECT_EQ(part.base_color, (std::array<float, 4>{1, 1, 1, 1}));
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      const uint8_t* texel = &part.texture->rgba[static_cast<size_t>(y * 64 + x) * 4];
      EXPECT_EQ(texel[0], std::lround((x + 0.5) / 64 * 255)) << x << "," << y;
      EXPECT_EQ(texel[1], std::lround((1 - (y + 0.5) / 64) * 255)) << "row 0 lies at v = 1";
      EXPECT_EQ(texel[3], 255);
    }
  ASSERT_FALSE(progress.empty());
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_EQ(progress.back(), 1);
}

TEST(Bake, EmptyTexelsHaveTheMeanColour) {
  Mesh mesh = quad();
  for (auto& uv : mesh.uvs) uv = {0.25f * uv[0], 0.25f * uv[1]};
  BakeOptions options;
  options.size = 64;
  const auto baked = bake_field(mesh, kPlace, options);
  ASSERT_TRUE(baked);
  const uint8_t* texel = &baked->mesh->parts[0].texture->rgba[static_cast<size_t>(20 * 64 + 40) * 4];
  EXPECT_NEAR(texel[0], 127.5, 8);
  EXPECT_NEAR(texel[2], 0, 1);
}

TEST(Bake, OverlapIsAnErrorOrAReasonForNewCoordinates) {
  // Two quads one above the other, both over the whole uv square.
  Mesh mesh = quad();
  for (size_t i = 0; i < 4; ++i) {
    mesh.positions.push_back({mesh.positions[i][0], mesh.positions[i][1], 1});
    mesh.normals.push_back(mesh.normals[i]);
    mesh.uvs.push_back(mesh.uvs[i]);
  }
  mesh.triangles.push_back({4, 5, 6});
  mesh.triangles.push_back({4, 6, 7});
  mesh.parts[0].triangle_count = 4;
  mesh.bounds_max[2] = 1;
  BakeOptions options;
  options.size = 128;
  options.uvs = BakeUvs::keep;
  const auto kept = bake_field(mesh, kPlace, options);
  ASSERT_EQ(code_of(kept), "HW-A003");
  EXPECT_NE(kept.error().reason.find("100.0 %"), std::string::npos) << kept.error().reason;
  EXPECT_FALSE(kept.error().remedy.empty());
  options.uvs = BakeUvs::automatic;
  const auto made = bake_field(mesh, kPlace, options);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->unwrapped);
  EXPECT_EQ(made->reason, kept.error().reason);
  EXPECT_EQ(made->mesh->triangles.size(), 4u);

  // As two parts they may have a texture each.
  mesh.parts = {{0, 2, nullptr, {}}, {2, 2, nullptr, {}}};
  const auto two = bake_field(mesh, kPlace, options);
  ASSERT_TRUE(two);
  EXPECT_FALSE(two->unwrapped);
  EXPECT_EQ(two->textures, 2);
  EXPECT_EQ(two->mesh->parts[0].texture->rgba[2], 0);
  EXPECT_EQ(two->mesh->parts[1].texture->rgba[2], 255);
}

TEST(Bake, MistakesAreNamed) {
  BakeOptions options;
  options.size = 32;
  options.uvs = BakeUvs::keep;
  Mesh bare = quad();
  bare.uvs.clear();
  EXPECT_EQ(code_of(bake_field(bare, kPlace, options)), "HW-A003");
  Mesh pressed = quad();
  for (auto& uv : pressed.uvs) uv[1] = 0;
  EXPECT_EQ(code_of(bake_field(pressed, kPlace, options)), "HW-A003");
  Mesh wide = quad();
  for (auto& uv : wide.uvs) uv[0] *= 3;
  EXPECT_EQ(code_of(bake_field(wide, kPlace, options)), "HW-A003");
  Mesh far = quad();
  far.uvs[2][0] = 1e9f;
  EXPECT_EQ(code_of(bake_field(far, kPlace, options)), "HW-A003");
  far.uvs[2][0] = NAN;
  EXPECT_EQ(code_of(bake_field(far, kPlace, options)), "HW-A003");
  const ColorField nan = [](auto p, auto) -> Result<std::vector<Float3>> {
    return std::vector<Float3>(p.size(), {NAN, 0, 0});
  };
  EXPECT_EQ(code_of(bake_field(quad(), nan, options)), "HW-R003");
  const ColorField few = [](auto, auto) -> Result<std::vector<Float3>> { return std::vector<Float3>(1); };
  EXPECT_EQ(code_of(bake_field(quad(), few, options)), "HW-V011");
  for (const int size : {0, -1, 15, 8193}) {
    options.size = size;
    EXPECT_EQ(code_of(bake_field(quad(), kPlace, options)), "HW-C001") << size;
  }
}

TEST(Bake, StopsBetweenBlocks) {
  std::atomic<bool> cancel{false};
  int calls = 0;
  const ColorField field = [&](auto p, auto) -> Result<std::vector<Float3>> {
    if (++calls == 2) cancel = true;
    EXPECT_LE(p.size(), 16384u);
    return std::vector<Float3>(p.size());
  };
  BakeOptions options;
  options.size = 512;
  options.cancel = &cancel;
  EXPECT_EQ(code_of(bake_field(quad(), field, options)), "HW-R004");
  EXPECT_EQ(calls, 2);
}

TEST(Unwrap, EveryPlaceHasARoomOfItsOwn) {
  // A spiral stair seen from above lies over itself: one chart by axis and neighbours, several once repaired.
  Mesh mesh;
  constexpr int kSteps = 80;
  for (int i = 0; i <= kSteps; ++i)
    for (const float radius : {0.5f, 1.0f}) {
      const float angle = static_cast<float>(i) * 0.25f;
      mesh.positions.push_back({radius * std::cos(angle), 0.02f * static_cast<float>(i), -radius * std::sin(angle)});
      mesh.normals.push_back({0, 1, 0});
    }
  for (uint32_t i = 0; i < kSteps; ++i) {
    mesh.triangles.push_back({2 * i, 2 * i + 1, 2 * i + 2});
    mesh.triangles.push_back({2 * i + 1, 2 * i + 3, 2 * i + 2});
  }
  mesh.bounds_min = {-1, 0, -1};
  mesh.bounds_max = {1, 0.02f * kSteps, 1};
  const auto out = unwrap(mesh, 256, 4);
  ASSERT_TRUE(out) << out.error().text();
  ASSERT_EQ(out->triangles.size(), mesh.triangles.size());
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k)
      EXPECT_EQ(out->positions[out->triangles[t][k]], mesh.positions[mesh.triangles[t][k]]);
  for (const auto& uv : out->uvs) {
    EXPECT_TRUE(uv[0] >= 0 && uv[0] <= 1 && uv[1] >= 0 && uv[1] <= 1);
  }
  const TriangleRange whole{0, static_cast<uint32_t>(mesh.triangles.size())};
  const auto raster = rasterise_uvs(*out, std::span(&whole, 1), 256);
  ASSERT_TRUE(raster);
  EXPECT_EQ(raster->overlapping, 0u);
  EXPECT_GT(raster->covered, 256u * 256 / 5);

  const auto crowded = unwrap(mesh, 16, 30);
  ASSERT_FALSE(crowded);
  EXPECT_EQ(crowded.error().code, "HW-A003");
}

}  // namespace
}  // namespace hw
