// Texels on a surface, and encoders that cannot hold them.
#include "engine/graph/check/texture_detail.h"

#include <gtest/gtest.h>

#include "engine/core/codes.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

/// Two triangles over `tiles` × `tiles` copies of a picture of side² pixels, and one without texture.
Mesh tiled(float tiles, int side) {
  Mesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh.normals.assign(4, {0, 0, 1});
  mesh.uvs = {{0, 0}, {tiles, 0}, {tiles, tiles}, {0, tiles}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}};
  const auto image = std::make_shared<Image>(
      Image{side, side, std::vector<uint8_t>(static_cast<size_t>(side) * static_cast<size_t>(side) * 4)});
  mesh.parts = {{.first_triangle = 0, .triangle_count = 2, .texture = image, .base_color = {1, 1, 1, 1}},
                {.first_triangle = 2, .triangle_count = 1, .texture = nullptr, .base_color = {1, 1, 1, 1}}};
  return mesh;
}

TEST(TextureDetail, CountsATextureAsOftenAsItIsShown) {
  EXPECT_DOUBLE_EQ(texels_on_surface(tiled(1, 64)), 64 * 64);
  EXPECT_DOUBLE_EQ(texels_on_surface(tiled(3, 64)), 9 * 64 * 64);
  Mesh bare = tiled(1, 64);
  bare.uvs.clear();
  EXPECT_EQ(texels_on_surface(bare), 0);
}

TEST(TextureDetail, AHintNamesTheTable) {
  Graph graph = test::neural_texture();
  const Mesh fine = tiled(16, 256);  // 2^24 texels
  ASSERT_TRUE(apply_edits(graph, {SetParam{"hash_grid", "log2_table", int64_t{19}}}));
  const auto hints = texture_detail_hints(graph, "mesh_source", fine);
  ASSERT_EQ(hints.size(), 1u);
  EXPECT_EQ(hints[0].node, "hash_grid");
  EXPECT_EQ(hints[0].socket, "log2_table");
  EXPECT_EQ(hints[0].severity, Severity::info);
  EXPECT_NE(hints[0].reason.find("16.8 M texels"), std::string::npos) << hints[0].reason;
  ASSERT_EQ(hints[0].remedies.size(), 1u);
  EXPECT_EQ(hints[0].remedies[0].label, "Set Hash Grid's Table size to 24");
  ASSERT_TRUE(apply_edits(graph, hints[0].remedies[0].edits));
  EXPECT_EQ(param_value(*graph.find("hash_grid"), "log2_table"), ParamValue(int64_t{24}));
  EXPECT_TRUE(texture_detail_hints(graph, "mesh_source", fine).empty());
  EXPECT_TRUE(texture_detail_hints(graph, "mesh_source", tiled(1, 512)).empty());
  const auto finest = texture_detail_hints(graph, "mesh_source", tiled(32, 256));  // 2^26 texels
  ASSERT_EQ(finest.size(), 1u);
  EXPECT_TRUE(finest[0].remedies.empty()) << "the parameter allows no larger table";
}

}  // namespace
}  // namespace hw
