// What a glTF file has and a mesh does not get is said by name: faces, skins, morph targets, animations, wrong numbers.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/io/media/image_file.h"
#include "tests/models/gltf_triangle.h"

namespace hw::gltf_unread_test {
namespace {

using nlohmann::json;
using test::bytes_of;
using test::GltfTriangle;
using test::TempFolder;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

GltfTriangle painted() {
  GltfTriangle t;
  t.add_positions();
  t.add_uvs();
  t.mesh["name"] = "leaf";
  t.gltf["materials"][0]["name"] = "painted";
  return t;
}

template <class T>
Result<std::shared_ptr<const Mesh>> with_indices(const std::vector<T>& indices, int mode = 4) {
  const TempFolder folder;
  GltfTriangle t = painted();
  t.add_indices(indices);
  t.primitive["mode"] = mode;
  return t.read(folder);
}

template <class T>
void expect_lost_faces() {
  const auto whole = with_indices<T>({0, 1, 2, 2, 1, 0});
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_THAT((*whole)->warnings, Not(Contains(HasSubstr("leaf"))));
  for (const auto& [mode, indices] :
       {std::pair(4, std::vector<T>{0, 1, 2, 0, 1, 7}), std::pair(5, std::vector<T>{0, 1, 2, 7}),
        std::pair(6, std::vector<T>{0, 1, 2, 7})}) {
    const auto holed = with_indices(indices, mode);
    ASSERT_TRUE(holed) << holed.error().text();
    EXPECT_EQ((*holed)->triangles.size(), 1u);
    EXPECT_THAT((*holed)->warnings, Contains(HasSubstr("1 of 2 faces of the mesh \"leaf\" names a vertex that is not "
                                                       "there: left out, so that the surface has a hole (face 1 names "
                                                       "vertex 7, and there are 3, counted from 0)")))
        << mode;
  }
  const auto none = with_indices<T>({0, 1, 9});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, codes::asset_unreadable);
  EXPECT_THAT(none.error().reason, HasSubstr("each face of the mesh \"leaf\" names a vertex that is not there"));
}

TEST(GltfUnread, FacesWithoutVerticesAreSaid) {
  expect_lost_faces<uint8_t>();
  expect_lost_faces<uint16_t>();
  expect_lost_faces<uint32_t>();
  const auto more = with_indices<uint16_t>({0, 1, 2, 0});
  ASSERT_TRUE(more) << more.error().text();
  EXPECT_THAT((*more)->warnings, Contains(HasSubstr("1 index at the end of the mesh \"leaf\" makes no triangle")));
}

// Assimp takes two less than their number, and memory for as many faces (assimp #6746).
TEST(GltfUnread, TooFewForATriangleAreRefused) {
  for (const int mode : {4, 5, 6}) {
    const auto one = with_indices<uint16_t>({0}, mode), two = with_indices<uint16_t>({0, 1}, mode);
    ASSERT_FALSE(one);
    ASSERT_FALSE(two);
    EXPECT_THAT(one.error().reason, HasSubstr("the mesh \"leaf\" has 1 index, which makes no triangle")) << mode;
    EXPECT_THAT(two.error().reason, HasSubstr("the mesh \"leaf\" has 2 indices, which make no triangle")) << mode;
    const TempFolder folder;
    GltfTriangle t = painted();
    for (json& accessor : t.gltf["accessors"]) accessor["count"] = 1;
    t.primitive["mode"] = mode;
    const auto bare = t.read(folder);
    ASSERT_FALSE(bare);
    EXPECT_THAT(bare.error().reason, HasSubstr("the mesh \"leaf\" has 1 vertex, which makes no triangle")) << mode;
  }
}

// The same reader as for pictures by themselves.
TEST(GltfUnread, ADamagedTextureIsSaid) {
  const TempFolder folder;
  ASSERT_TRUE(save_png(Image{1, 1, {1, 2, 3, 255}}, folder / "none.png"));
  std::string png = test::read_bytes(folder / "none.png");
  png[png.find("IDAT") + 6] ^= 1;
  test::write_bytes(folder / "none.png", png);
  const auto mesh = painted().read(folder);
  ASSERT_TRUE(mesh) << mesh.error().text();
  EXPECT_FALSE((*mesh)->parts.at(0).texture);
  EXPECT_THAT((*mesh)->warnings, Contains(HasSubstr("the PNG file is damaged: the checksum (CRC) of its chunk IDAT")));
}

/// Bound to a joint; its skin as it is given.
GltfTriangle bound(const json& skin) {
  GltfTriangle t = painted();
  t.add("JOINTS_0", std::string(12, '\0'), 5121, 4);
  t.gltf["accessors"].back().erase("normalized");
  t.add("WEIGHTS_0", bytes_of<float>({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}), 5126, 4);
  t.gltf["nodes"] = {{{"mesh", 0}, {"skin", 0}}, {{"name", "joint"}, {"translation", {0, 0, 1}}}};
  t.gltf["scenes"][0]["nodes"] = {0, 1};
  t.gltf["skins"] = {skin};
  return t;
}

// Without inverseBindMatrices they are identities (glTF 2.0, 5.28.1); Assimp 5.2.5 crashes (#3465).
TEST(GltfUnread, ASkinIsSaidWithAndWithoutItsMatrices) {
  const TempFolder folder;
  for (const bool has_matrices : {true, false}) {
    GltfTriangle t = bound({{"joints", {1}}, {"name", "\"skins\": \"skin\""}});
    if (has_matrices) {
      const size_t at = t.add("", bytes_of<float>({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}), 5126, 4);
      t.attributes.erase("");
      t.gltf["accessors"][at] = {{"bufferView", at}, {"componentType", 5126}, {"count", 1}, {"type", "MAT4"}};
      t.gltf["skins"][0]["inverseBindMatrices"] = at;
    }
    const auto mesh = t.read(folder);
    ASSERT_TRUE(mesh) << has_matrices << mesh.error().text();
    EXPECT_EQ((*mesh)->triangles.size(), 1u);
    EXPECT_THAT((*mesh)->warnings, Contains(HasSubstr("Skins (joints and weights) are not read: \"leaf\" is shown")));
  }
}

TEST(GltfUnread, ASkinWithoutMatricesIsReadFromAGlb) {
  const TempFolder folder;
  GltfTriangle t = bound({{"joints", {1}}});
  ASSERT_TRUE(t.read(folder));
  json gltf = t.gltf;
  gltf["buffers"] = {{{"byteLength", t.bytes.size()}}};
  const auto padded = [](std::string text, char with) {
    text.resize((text.size() + 3) / 4 * 4, with);
    return text;
  };
  const auto number = [](size_t n) { return bytes_of<uint32_t>({static_cast<uint32_t>(n)}); };
  const std::string text = padded(gltf.dump(1), ' '), data = padded(t.bytes, '\0');
  test::write_bytes(folder / "t.glb", "glTF" + number(2) + number(28 + text.size() + data.size()) +
                                          number(text.size()) + "JSON" + text + number(data.size()) +
                                          std::string("BIN\0", 4) + data);
  const auto mesh = test::load_mesh(folder / "t.glb");
  ASSERT_TRUE(mesh) << mesh.error().text();
  EXPECT_THAT((*mesh)->positions, Contains(std::array<float, 3>{1, 0, 0}));
  EXPECT_THAT((*mesh)->warnings, Contains(HasSubstr("\"leaf\" is shown undeformed")));
}

TEST(GltfUnread, MorphTargetsWithWeightAreSaid) {
  const TempFolder folder;
  const auto read = [&](const json& of_mesh, const json& of_node) {
    GltfTriangle t = painted();
    const size_t at = t.add("", bytes_of<float>({0, 0, 1, 0, 0, 1, 0, 0, 1}), 5126, 3);
    t.attributes.erase("");
    t.primitive["targets"] = {{{"POSITION", at}}};
    if (!of_mesh.is_null()) t.mesh["weights"] = of_mesh;
    if (!of_node.is_null()) t.gltf["nodes"][0]["weights"] = of_node;
    const auto mesh = t.read(folder);
    EXPECT_TRUE(mesh) << mesh.error().text();
    return mesh ? (*mesh)->warnings : std::vector<std::string>();
  };
  const auto says = Contains(HasSubstr("Morph targets are not read: \"leaf\" is shown without"));
  EXPECT_THAT(read({0.5}, nullptr), says);
  EXPECT_THAT(read(nullptr, {1}), says) << "of the node (glTFast #531)";
  EXPECT_THAT(read({0.5}, {0}), Not(says)) << "the node's take the place of the mesh's";
  EXPECT_THAT(read(nullptr, nullptr), Not(says)) << "0 by default";
}

TEST(GltfUnread, AnimationsAreSaidByName) {
  const TempFolder folder;
  GltfTriangle t = painted();
  const size_t times = t.add("", bytes_of<float>({0, 1, 2}), 5126, 1);
  const size_t places = t.add("", bytes_of<float>({0, 0, 0, 0, 0, 1, 0, 0, 2}), 5126, 3);
  t.attributes.erase("");
  t.gltf["accessors"][times].update({{"type", "SCALAR"}, {"min", {0}}, {"max", {2}}});
  for (const char* name : {"walk", "run", "jump", "fall", "rise"})
    t.gltf["animations"].push_back(
        {{"name", name},
         {"samplers", {{{"input", times}, {"output", places}}}},
         {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}}}}});
  const auto mesh = t.read(folder);
  ASSERT_TRUE(mesh) << mesh.error().text();
  EXPECT_THAT((*mesh)->warnings,
              Contains(HasSubstr("Animations are not read: \"walk\", \"run\", \"jump\" and 2 more are passed over")));
}

TEST(GltfUnread, OtherFormatsSayTheSame) {
  const auto mesh = test::load_mesh("/usr/share/assimp/models/FBX/animation_with_skeleton.fbx");
  ASSERT_TRUE(mesh) << mesh.error().text();
  EXPECT_THAT((*mesh)->warnings, Contains(HasSubstr("Skins (joints and weights) are not read: \"Cube.001\" is")));
  EXPECT_THAT((*mesh)->warnings, Contains(HasSubstr("Animations are not read: \"Armature|ArmatureAction\" is")));
}

// Assimp's reader of .off puts the last vertex in the place of one that is not there.
TEST(ModelLog, WhatTheReaderSaysIsHandedOn) {
  const TempFolder folder;
  const std::string start = "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  test::write_bytes(folder / "a.off", start + "3 2 1 0\n");
  const auto whole = test::load_mesh(folder / "a.off");
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_THAT((*whole)->warnings, Not(Contains(HasSubstr("reader says"))));
  test::write_bytes(folder / "a.off", start + "3 0 1 7\n");
  const auto mesh = test::load_mesh(folder / "a.off");
  ASSERT_TRUE(mesh) << mesh.error().text();
  EXPECT_THAT((*mesh)->warnings, Contains("The model's reader says: OFF: Vertex index is out of range."));
}

// Assimp stops at some of these, and passes over others.
TEST(GltfUnread, NumbersOfAWrongCountAreNamed) {
  const TempFolder folder;
  const auto reason = [&](const json& transform, const json& node, const json& factor) {
    GltfTriangle t = painted();
    t.gltf["nodes"][0].update(node);
    if (!transform.is_null()) t.texture()["extensions"]["KHR_texture_transform"] = transform;
    if (!factor.is_null()) t.gltf["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] = factor;
    const auto mesh = t.read(folder);
    return mesh ? "" : mesh.error().reason;
  };
  const json none, same = json::object();
  EXPECT_EQ(reason({{"offset", {1, 0}}}, {{"translation", {1, 2, 3}}}, {1, 1, 1, 1}), "");
  const std::string of = "KHR_texture_transform of the material \"painted\" has a";
  EXPECT_THAT(reason({{"offset", {1}}}, same, none), HasSubstr(of + "n offset that is not 2 numbers"));
  EXPECT_THAT(reason({{"scale", {1, "2"}}}, same, none), HasSubstr(of + " scale that is not 2 numbers"));
  EXPECT_THAT(reason({{"rotation", {1}}}, same, none), HasSubstr(of + " rotation that is no number"));
  EXPECT_THAT(reason(none, {{"name", "n"}, {"translation", {1}}}, none),
              HasSubstr("the node \"n\" has a translation that is not 3 numbers"));
  EXPECT_THAT(reason(none, {{"matrix", {1, 0}}}, none), HasSubstr("the node 0 has a matrix that is not 16 numbers"));
  EXPECT_THAT(reason(none, same, {1, 1, 1}), HasSubstr("has a baseColorFactor that is not 4 numbers"));
}

}  // namespace
}  // namespace hw::gltf_unread_test
