// What is read of a glTF file beside Assimp: where textures lie, nodes in f64, vertices stored as whole numbers.
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "engine/core/codes.h"
#include "engine/io/media/image_file.h"
#include "tests/models/gltf_triangle.h"

namespace hw::gltf_scene_test {
namespace {

using nlohmann::json;
using test::bytes_of;
using test::TempFolder;
using Triangle = test::GltfTriangle;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// The vertex of `mesh` at a place.
size_t vertex_at(const Mesh& mesh, std::array<float, 3> place) {
  const auto found = std::find(mesh.positions.begin(), mesh.positions.end(), place);
  EXPECT_NE(found, mesh.positions.end());
  return static_cast<size_t>(found - mesh.positions.begin());
}

void expect_uv(const Mesh& mesh, std::array<float, 3> place, double u, double v) {
  const auto& uv = mesh.uvs[vertex_at(mesh, place)];
  EXPECT_NEAR(uv[0], u, 1e-6);
  EXPECT_NEAR(uv[1], v, 1e-6) << "v is up";
}

TEST(GltfTextures, AreMovedScaledAndTurned) {
  const TempFolder folder;
  Triangle t;
  t.add_positions();
  t.add_uvs();
  t.gltf["extensionsUsed"] = {"KHR_texture_transform"};
  t.texture()["extensions"]["KHR_texture_transform"] = {
      {"offset", {0.5, 0.25}}, {"rotation", std::numbers::pi / 2}, {"scale", {2, 3}}};
  const auto mesh = t.read(folder);
  ASSERT_TRUE(mesh) << mesh.error().text();
  // A quarter turn of (2 u, 3 v), v down, is (3 v, −2 u).
  expect_uv(**mesh, {0, 0, 0}, 0.5, 1 - 0.25);
  expect_uv(**mesh, {1, 0, 0}, 0.5, 1 - (0.25 - 2));
  expect_uv(**mesh, {0, 1, 0}, 0.5 + 3, 1 - 0.25);
  EXPECT_THAT((*mesh)->warnings, Not(Contains(HasSubstr("not read"))));
}

TEST(GltfTextures, AreLookedUpByTheSetThatTheMaterialNames) {
  const TempFolder folder;
  Triangle t;
  t.add_positions();
  t.add_uvs();
  t.add("TEXCOORD_1", bytes_of<float>({0.25f, 0.5f, 0.5f, 0.5f, 0.25f, 1}), 5126, 2);
  t.texture()["texCoord"] = 1;
  auto mesh = t.read(folder);
  ASSERT_TRUE(mesh) << mesh.error().text();
  expect_uv(**mesh, {0, 0, 0}, 0.25, 0.5);
  t.texture()["texCoord"] = 0;
  t.texture()["extensions"]["KHR_texture_transform"] = {{"texCoord", 1}, {"offset", {1, 0}}};
  mesh = t.read(folder);
  ASSERT_TRUE(mesh) << mesh.error().text();
  expect_uv(**mesh, {0, 1, 0}, 1.25, 0);
}

// In linear light (glTF 2.0, 3.9.2); what is encoded would be 5 of 255 off in dark colours.
TEST(GltfTextures, AreMultipliedByTheirFactor) {
  const TempFolder folder;
  ASSERT_TRUE(save_png(Image{3, 1, {20, 128, 255, 255, 128, 20, 255, 7, 255, 255, 255, 0}}, folder / "none.png"));
  Triangle t;
  t.add_positions();
  t.add_uvs();
  t.gltf["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] = {0.5, 0.1, 1, 0.25};
  const auto mesh = t.read(folder);
  ASSERT_TRUE(mesh) << mesh.error().text();
  ASSERT_TRUE((*mesh)->parts.at(0).texture);
  EXPECT_EQ((*mesh)->parts[0].texture->rgba, (std::vector<uint8_t>{11, 40, 255, 255, 92, 2, 255, 7, 188, 89, 255, 0}));
  EXPECT_EQ((*mesh)->parts[0].base_color, (std::array<float, 4>{1, 1, 1, 0.25f}));
}

TEST(GltfVertices, AsWholeNumbersAreWhatTheyMean) {
  const TempFolder folder;
  for (const std::string where : {"beside", "in it"}) {
    SCOPED_TRACE(where);
    Triangle t;
    t.add("POSITION", bytes_of<int16_t>({0, 0, 0, 0, 32767, 0, 0, 0, 0, 32767, 0, 0}), 5122, 3, 8);
    t.add("NORMAL", bytes_of<int8_t>({0, 0, 127, 0, 0, 0, 127, 0, 0, 0, 127, 0}), 5120, 3, 4);
    t.add("TEXCOORD_0", bytes_of<uint8_t>({0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0}), 5121, 2, 4);
    t.gltf["extensionsUsed"] = t.gltf["extensionsRequired"] = {"KHR_mesh_quantization"};
    auto mesh = t.read(folder);
    if (where == "in it") {
      constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
      std::string text = "data:application/octet-stream;base64,";
      t.bytes.resize((t.bytes.size() + 2) / 3 * 3);
      for (size_t i = 0; i < t.bytes.size(); i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k) bits = bits << 8 | static_cast<uint8_t>(t.bytes[i + k]);
        for (int shift = 18; shift >= 0; shift -= 6) text += kDigits[bits >> shift & 63];
      }
      mesh = t.read(folder / "u.gltf", text);
    }
    ASSERT_TRUE(mesh) << mesh.error().text();
    expect_uv(**mesh, {0, 0, 0}, 0, 1);
    expect_uv(**mesh, {1, 0, 0}, 1, 1);
    expect_uv(**mesh, {0, 1, 0}, 0, 0);
    EXPECT_EQ((*mesh)->normals[0], (std::array<float, 3>{0, 0, 1}));
  }
}

TEST(GltfVertices, ThatDoNotFitTheirBufferAreRefused) {
  const TempFolder folder;
  Triangle t;
  t.add_positions();
  t.add("TEXCOORD_0", bytes_of<uint16_t>({0, 0, 65535, 0, 0, 65535}), 5123, 2);
  t.gltf["accessors"][1]["sparse"] = {{"count", 1}};
  const auto mesh = t.read(folder);
  ASSERT_FALSE(mesh);
  EXPECT_EQ(mesh.error().code, codes::asset_unreadable);
  EXPECT_THAT(mesh.error().text(), HasSubstr("TEXCOORD_0"));
}

TEST(GltfNodes, PlaceMeshesInF64) {
  const TempFolder folder;
  const double half = std::sqrt(0.5);
  const std::vector<std::pair<json, std::array<double, 3>>> cases{
      // A quarter turn about z, sizes 2 and 4, to a place: where (1, 0, 0) goes.
      {{{"rotation", {0, 0, half, half}}, {"scale", {2, 4, 1}}, {"translation", {10, 20, 30}}}, {10, 22, 30}},
      {{{"matrix", {0, 2, 0, 0, -4, 0, 0, 0, 0, 0, 1, 0, 10, 20, 30, 1}}}, {10, 22, 30}},
      {{{"translation", {0, 6280752.8, 0}}}, {1, 6280752.8, 0}},
  };
  for (const auto& [placed, corner] : cases) {
    Triangle t;
    t.add_positions();
    t.add_uvs();
    json node = placed;
    node["mesh"] = 0;
    t.gltf["nodes"] = {
        {{"children", {1}}, {"translation", {0, 1000, 0}}}, {{"children", {2}}, {"translation", {0, -1000, 0}}}, node};
    const auto mesh = t.read(folder);
    ASSERT_TRUE(mesh) << mesh.error().text();
    double nearest = 1;
    for (const auto& p : (*mesh)->positions) {
      double far = 0;
      for (size_t axis = 0; axis < 3; ++axis)
        far = std::max(far, std::abs(p[axis] + (*mesh)->origin[axis] - corner[axis]));
      nearest = std::min(nearest, far);
    }
    EXPECT_LT(nearest, 1e-6) << placed.dump();
  }
}

}  // namespace
}  // namespace hw::gltf_scene_test
