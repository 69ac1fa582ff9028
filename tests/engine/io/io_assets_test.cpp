// Pictures, models and where they are looked for.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>

#include "engine/core/codes.h"
#include "engine/io/asset/asset_refs.h"
#include "engine/io/asset/assets.h"
#include "engine/io/media/image_bytes.h"
#include "engine/io/media/image_file.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/io_temp.h"
#include "tests/engine/load_mesh.h"
#include "tests/engine/png_files.h"

namespace hw::io_assets_test {
namespace {

using test::load_mesh;
using test::TempFolder;
using ::testing::HasSubstr;

/// Row 0 red, row 1 green, blue by column.
Image picture(int width, int height) {
  Image image{width, height, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto blue = static_cast<uint8_t>(x * 10);
      const auto row = y == 0 ? std::array<uint8_t, 4>{255, 0, blue, 255} : std::array<uint8_t, 4>{0, 255, blue, 128};
      image.rgba.insert(image.rgba.end(), row.begin(), row.end());
    }
  }
  return image;
}

constexpr char kQuad[] =
    "mtllib quad.mtl\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    "usemtl skin\nf 1/1 2/2 3/3 4/4\n";

TEST(Images, PngComesBackTopRowFirst) {
  const TempFolder folder;
  const Image image = picture(5, 3);
  ASSERT_TRUE(save_png(image, folder / "p.png"));
  const Result<Image> back = load_image(folder / "p.png");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->width, 5);
  EXPECT_EQ(back->height, 3);
  EXPECT_EQ(back->rgba, image.rgba);
}

TEST(Images, BrokenMissingAndHuge) {
  const TempFolder folder;
  ASSERT_TRUE(save_png(picture(64, 64), folder / "p.png"));
  const std::string bytes = test::read_bytes(folder / "p.png");
  for (size_t n = 0; n < bytes.size() - 12; n += 7) {  // the end chunk carries nothing
    test::write_bytes(folder / "cut.png", std::string_view(bytes).substr(0, n));
    const Result<Image> r = load_image(folder / "cut.png");
    ASSERT_FALSE(r) << n;
    EXPECT_EQ(r.error().code, codes::asset_unreadable);
  }
  std::string huge = bytes;
  huge[16] = huge[20] = '\x00';
  huge[17] = huge[21] = '\x7F';  // 8 million pixels a side
  test::write_bytes(folder / "huge.png", huge);
  EXPECT_FALSE(load_image(folder / "huge.png"));
  // A TGA of 60000 × 60000 in 18 bytes.
  std::string tga(18, '\0');
  tga[2] = 2, tga[12] = tga[14] = '\x60', tga[13] = tga[15] = '\xEA', tga[16] = 32;
  test::write_bytes(folder / "huge.tga", tga);
  EXPECT_FALSE(load_image(folder / "huge.tga"));
  const Result<Image> none = load_image(folder / "none.png");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, codes::asset_unreadable);
}

// A picture that is damaged is called what it is, not what the reader of another format says of it.
TEST(Images, DamageIsSaidOfTheRightFormat) {
  const TempFolder folder;
  const std::string jpeg = test::read_bytes("/usr/share/assimp/models/OBJ/wal67ar_small.jpg");
  ASSERT_GT(jpeg.size(), 1000u);
  const auto reason = [&](const std::string& bytes) {
    test::write_bytes(folder / "x", bytes);
    const auto image = load_image(folder / "x");
    return image ? std::string("it was read") : image.error().reason;
  };
  EXPECT_EQ(reason(jpeg), "it was read");
  EXPECT_EQ(reason(jpeg + "more"), "it was read") << "what follows the end is no part of it";
  for (size_t n = 3; n < jpeg.size(); n += 97)
    EXPECT_THAT(reason(jpeg.substr(0, n)), HasSubstr("the JPEG file is cut short")) << n;
  std::string damaged = jpeg;
  damaged.replace(2, 18, std::string(18, '\0'));
  EXPECT_THAT(reason(damaged), HasSubstr("the JPEG file is damaged"));
  EXPECT_THAT(reason(damaged), ::testing::Not(HasSubstr("png")));
  ASSERT_TRUE(save_png(picture(64, 64), folder / "p.png"));
  const std::string png = test::read_bytes(folder / "p.png");
  EXPECT_THAT(reason(png.substr(0, png.size() / 2)), HasSubstr("the PNG file is cut short"));
  EXPECT_THAT(reason("hello, I am a text and no picture at all"), HasSubstr("unknown format"));
}

Result<Image> decode(const test::PngParts& parts, const std::string& name) {
  return decode_image(test::png_of(parts), name, Turned::upright, uint64_t{1} << 33);
}

TEST(Images, APictureThatHoldsMoreThanItsSizeIsRefused) {
  const auto bomb = decode({.rows = std::string(size_t{256} << 20, '\0')}, "bomb.png");
  ASSERT_FALSE(bomb);
  EXPECT_EQ(bomb.error().where, "bomb.png");
  EXPECT_THAT(bomb.error().reason, HasSubstr("more than its 1 × 1 pixels"));
  // 16 bits a channel take most: the limit leaves them room.
  const std::string row = '\0' + std::string(200 * 8, '\x80');
  std::string rows;
  for (int y = 0; y < 200; ++y) rows += row;
  const auto deep = decode({.width = 200, .height = 200, .depth = 16, .rows = rows}, "deep.png");
  ASSERT_TRUE(deep) << deep.error().text();
  EXPECT_EQ(deep->rgba, std::vector<uint8_t>(size_t{200} * 200 * 4, 0x80));
  // Interlaced (Adam7), most of all.
  constexpr int kSide = 1024;
  const int first_x[] = {0, 4, 0, 2, 0, 1, 0}, first_y[] = {0, 0, 4, 0, 2, 0, 1};
  const int step_x[] = {8, 8, 4, 4, 2, 2, 1}, step_y[] = {8, 8, 8, 4, 4, 2, 2};
  std::string passes;
  for (int pass = 0; pass < 7; ++pass)
    for (int y = first_y[pass]; y < kSide; y += step_y[pass])
      passes += '\0' + std::string(static_cast<size_t>((kSide - first_x[pass] - 1) / step_x[pass] + 1) * 8, '\x80');
  const auto interlaced =
      decode({.width = kSide, .height = kSide, .depth = 16, .rows = passes, .interlaced = true}, "interlaced.png");
  ASSERT_TRUE(interlaced) << interlaced.error().text();
  EXPECT_EQ(interlaced->rgba, std::vector<uint8_t>(size_t{kSide} * kSide * 4, 0x80));
}

TEST(Meshes, TheDuckLoadsWithItsTexture) {
  FileAssets assets(".");
  const auto duck = assets.mesh("asset:Collada/duck.dae");
  ASSERT_TRUE(duck) << duck.error().text();
  const Mesh& m = **duck;
  EXPECT_EQ(m.name, "duck");
  EXPECT_EQ(m.triangles.size(), 4212u);
  ASSERT_EQ(m.normals.size(), m.positions.size());
  ASSERT_EQ(m.uvs.size(), m.positions.size());
  ASSERT_EQ(m.parts.size(), 1u);
  EXPECT_EQ(m.parts[0].triangle_count, m.triangles.size());
  ASSERT_TRUE(m.parts[0].texture);
  EXPECT_EQ(m.parts[0].texture->width, 512);
  EXPECT_EQ(m.parts[0].base_color, (std::array<float, 4>{1, 1, 1, 1}));
  for (size_t axis = 0; axis < 3; ++axis) EXPECT_LT(m.bounds_min[axis], m.bounds_max[axis]);
  double outward = 0;
  for (size_t i = 0; i < m.normals.size(); ++i) {
    const auto& n = m.normals[i];
    EXPECT_NEAR(std::hypot(n[0], n[1], n[2]), 1, 1e-5);
    for (size_t axis = 0; axis < 3; ++axis)
      outward += n[axis] * (m.positions[i][axis] - (m.bounds_min[axis] + m.bounds_max[axis]) / 2);
  }
  EXPECT_GT(outward, 0) << "normals point inwards";
  // The duck is yellow: so is the texture where its triangles touch it.
  double red = 0, blue = 0;
  for (const auto& uv : m.uvs) {
    const Image& t = *m.parts[0].texture;
    const int x = std::clamp(static_cast<int>(uv[0] * 512), 0, 511),
              y = std::clamp(static_cast<int>((1 - uv[1]) * 512), 0, 511);
    red += t.rgba[static_cast<size_t>((y * 512 + x) * 4)];
    blue += t.rgba[static_cast<size_t>((y * 512 + x) * 4 + 2)];
  }
  EXPECT_GT(red, 3 * blue);
  // The cache hands out the same mesh.
  EXPECT_EQ(assets.mesh("asset:Collada/duck.dae").operator*().get(), duck->get());
}

TEST(Meshes, WavefrontQuadWithTextureInAnotherCase) {
  const TempFolder folder;
  test::write_bytes(folder / "quad.obj", kQuad);
  test::write_bytes(folder / "quad.mtl", "newmtl skin\nKd 0.1 0.2 0.3\nmap_Kd C:\\work\\Skin.PNG\n");
  ASSERT_TRUE(save_png(picture(4, 2), folder / "skin.png"));
  const auto mesh = load_mesh(folder / "quad.obj");
  ASSERT_TRUE(mesh) << mesh.error().text();
  const Mesh& m = **mesh;
  EXPECT_EQ(m.positions.size(), 4u) << "equal corners are joined";
  ASSERT_EQ(m.triangles.size(), 2u);
  EXPECT_EQ(m.bounds_max, (std::array<float, 3>{2, 1, 0}));
  ASSERT_EQ(m.parts.size(), 1u);
  ASSERT_TRUE(m.parts[0].texture);
  EXPECT_EQ(m.parts[0].texture->rgba, picture(4, 2).rgba);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(m.uvs[i][1], m.positions[i][1]) << "v points up";
    EXPECT_NEAR(m.normals[i][2], 1, 1e-6) << "normals are made when missing";
  }
}

// MTL 4.2: "during rendering, the map_Kd value is multiplied by the Kd value".
TEST(Meshes, TheColourOfAnMtlMultipliesItsTexture) {
  const TempFolder folder;
  test::write_bytes(folder / "quad.obj", kQuad);
  ASSERT_TRUE(save_png(picture(4, 2), folder / "skin.png"));
  using Colour = std::array<float, 4>;
  const std::pair<std::string, Colour> cases[] = {{"Kd 0.25 0.5 1\n", {0.25f, 0.5f, 1, 1}},
                                                  {"Kd 0.5\n", {0.5f, 0.5f, 0.5f, 1}},
                                                  {"Kd nan 2 -1\n", {1, 1, 1, 1}},
                                                  {"", {1, 1, 1, 1}},
                                                  {"Kd 0 0 0\n", {1, 1, 1, 1}}};
  for (const auto& [kd, colour] : cases) {
    SCOPED_TRACE(kd);
    test::write_bytes(folder / "quad.mtl", "newmtl skin\n" + kd + "map_Kd skin.png\n");
    const auto mesh = load_mesh(folder / "quad.obj");
    ASSERT_TRUE(mesh) << mesh.error().text();
    ASSERT_TRUE((*mesh)->parts.at(0).texture);
    EXPECT_EQ((*mesh)->parts[0].base_color, colour);
    EXPECT_EQ((*mesh)->parts[0].texture->rgba, picture(4, 2).rgba);
    // As many exporters write it for a textured material (three.js #13923).
    const auto says_black =
        ::testing::Contains(HasSubstr("\"skin\" is shown as it is: the material's colour beside it (Kd) is black"));
    if (kd == "Kd 0 0 0\n") {
      EXPECT_THAT((*mesh)->warnings, says_black);
    } else {
      EXPECT_THAT((*mesh)->warnings, ::testing::Not(says_black));
    }
  }
}

TEST(Meshes, MissingTextureIsAWarningThatNamesIt) {
  const TempFolder folder;
  test::write_bytes(folder / "quad.obj", kQuad);
  test::write_bytes(folder / "quad.mtl", "newmtl skin\nmap_Kd lost.png\n");
  const auto mesh = load_mesh(folder / "quad.obj");
  ASSERT_TRUE(mesh) << mesh.error().text();
  EXPECT_FALSE((*mesh)->parts.at(0).texture);
  ASSERT_EQ((*mesh)->warnings.size(), 1u);
  EXPECT_THAT((*mesh)->warnings[0], HasSubstr("\"lost.png\" is missing"));
}

TEST(Meshes, NoTextureAndNoUvsIsNoError) {
  const TempFolder folder;
  test::write_bytes(folder / "t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto mesh = load_mesh(folder / "t.obj");
  ASSERT_TRUE(mesh) << mesh.error().text();
  EXPECT_TRUE((*mesh)->uvs.empty());
  EXPECT_FALSE((*mesh)->parts.at(0).texture);
  test::write_bytes(folder / "c.obj", "mtllib c.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl c\nf 1 2 3\n");
  test::write_bytes(folder / "c.mtl", "newmtl c\nKd 0.25 0.5 1\n");
  const auto coloured = load_mesh(folder / "c.obj");
  ASSERT_TRUE(coloured);
  EXPECT_EQ((*coloured)->parts.at(0).base_color, (std::array<float, 4>{0.25f, 0.5f, 1, 1}));
}

TEST(Meshes, EmbeddedTextureAndMirroredTransform) {
  // A glTF triangle under a mirroring node, its picture a data URI: 2 × 1 pixels, red and blue.
  const TempFolder folder;
  const std::string gltf = R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0, "scale": [-2, 1, 1], "translation": [0, 0, 5]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
    "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0.2140411, 0, 1], "baseColorTexture": {"index": 0}}}],
    "textures": [{"source": 0}],
    "images": [{"uri": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADUlEQVR4nGP4zwAE/wEHAAH/4iOeWQAAAABJRU5ErkJggg=="}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}],
    "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})";
  test::write_bytes(folder / "t.gltf", gltf);
  const auto mesh = load_mesh(folder / "t.gltf");
  ASSERT_TRUE(mesh) << mesh.error().text();
  const Mesh& m = **mesh;
  EXPECT_EQ(m.bounds_min, (std::array<float, 3>{-2, 0, 5}));
  EXPECT_EQ(m.bounds_max, (std::array<float, 3>{0, 1, 5}));
  ASSERT_TRUE(m.parts.at(0).texture);
  EXPECT_EQ(m.parts[0].texture->width, 2);
  EXPECT_EQ(m.parts[0].texture->rgba, (std::vector<uint8_t>{255, 0, 0, 255, 0, 0, 0, 255})) << "times its factor";
  // The winding was turned with the mirror: the triangle still faces its normal.
  const auto& t = m.triangles.at(0);
  const auto &a = m.positions[t[0]], &b = m.positions[t[1]], &c = m.positions[t[2]];
  const double facing = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  EXPECT_GT(facing * m.normals[t[0]][2], 0);
}

TEST(Meshes, BrokenModels) {
  const TempFolder folder;
  const std::pair<const char*, const char*> cases[] = {
      {"empty.obj", ""},
      {"noise.dae", "not xml at all"},
      {"cut.dae", "<?xml version=\"1.0\"?><COLLADA version=\"1.4.1\"><library_geom"},
      {"bad.gltf", R"({"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"POSITION": 99}}]}]})"},
      {"cut.glb", "glTF\x02\0\0\0"},
      {"index.obj", "v 0 0 0\nf 1 2 300000\n"},
      {"points.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n"},
      {"unknown.xyzzy", "hello"},
  };
  for (const auto& [name, bytes] : cases) {
    test::write_bytes(folder / name, bytes);
    const auto mesh = load_mesh(folder / name);
    ASSERT_FALSE(mesh) << name;
    EXPECT_THAT(mesh.error().code, ::testing::AnyOf(codes::asset_unreadable, codes::asset_lacks)) << name;
    EXPECT_THAT(mesh.error().where, HasSubstr(name));
    EXPECT_FALSE(mesh.error().reason.empty());
  }
  const auto none = load_mesh(folder / "none.obj");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, codes::asset_unreadable);
}

/// A GLB of these chunks; a chunk is its type and what is in it.
std::string glb(const std::vector<std::pair<std::string, std::string>>& chunks, uint32_t version = 2, int more = 0) {
  const auto number = [](uint32_t n) { return std::string(reinterpret_cast<const char*>(&n), 4); };
  std::string body;
  for (const auto& [type, data] : chunks) body += number(static_cast<uint32_t>(data.size())) + type + data;
  return "glTF" + number(version) + number(static_cast<uint32_t>(static_cast<int>(12 + body.size()) + more)) + body;
}

TEST(Meshes, TheFaultOfADamagedGltfIsNamed) {
  const TempFolder folder;
  const std::string bin("BIN\0", 4), json = R"({"asset": {"version": "2.0"},"scenes":[{}]} )";
  ASSERT_EQ(json.size() % 4, 0u);
  const std::string good = glb({{"JSON", json}}), two = glb({{"JSON", json}, {bin, "1234"}, {bin, "1234"}});
  const std::pair<std::string, const char*> cases[] = {
      {"", "the file is empty"},
      {"glTF\x02", "it is cut short"},
      {"glTX" + good.substr(4), "does not begin with \"glTF\""},
      {glb({{"JSON", json}}, 3), "GLB version 3 is not read"},
      {good.substr(0, good.size() - 4), "it is cut short"},
      {glb({}), "it has no chunk"},
      {glb({{"JSON", json}}, 2, -4), "its first chunk says that it has 44 bytes, and 40 are left"},
      {good.substr(0, 8) + std::string("\x10\0\0\0", 4) + good.substr(12, 4),
       "its first chunk is cut short in its header"},
      {glb({{bin, "1234"}, {"JSON", json}}), "its first chunk is not the JSON"},
      {glb({{"JSON", ""}}), "its JSON chunk is empty"},
      {glb({{"JSON", json}, {"JSON", json}}), "it has a second JSON chunk"},
      {two, "it has a second binary chunk"},
      {glb({{"JSON", "{\"asset\": "}}), "its first chunk has 10 bytes, no multiple of 4"},
      {glb({{"JSON", "{\"asset\":x  "}}), "its JSON is wrong at byte"},
      {glb({{"JSON", "[]  "}}), "its JSON is no object"},
      {glb({{"JSON", "{}  "}}), "its JSON has no \"asset\""},
      {glb({{"JSON", "{\"asset\": {}}   "}}), "does not say the version"},
      {glb({{"JSON", R"({"asset": {"version": "2.0"}})"
                     "   "}}),
       "it has no scene"},
  };
  for (const auto& [bytes, reason] : cases) {
    test::write_bytes(folder / "x.glb", bytes);
    const auto mesh = load_mesh(folder / "x.glb");
    ASSERT_FALSE(mesh) << reason;
    EXPECT_EQ(mesh.error().code, codes::asset_unreadable);
    EXPECT_THAT(mesh.error().reason, HasSubstr(reason));
    EXPECT_THAT(mesh.error().remedy, ::testing::Not(HasSubstr("as glTF"))) << "it is one";
  }
  test::write_bytes(folder / "x.gltf", "{\"asset\": ");
  EXPECT_THAT(load_mesh(folder / "x.gltf").error().reason, HasSubstr("its JSON is wrong at byte"));
  test::write_bytes(folder / "x.xyzzy", "hello");
  EXPECT_THAT(load_mesh(folder / "x.xyzzy").error().reason, HasSubstr(".xyzzy is no format that is read"));
}

TEST(Meshes, TheFaultOfAGltfDoesNotDependOnTheCaseOfItsName) {
  const TempFolder folder;
  std::vector<std::string> reasons;
  for (const char* name : {"scene.gltf", "SCENE.GLTF"}) {
    test::write_bytes(folder / name, R"({"asset": {"version": "2.0"}, "scenes": [)");
    const auto mesh = load_mesh(folder / name);
    ASSERT_FALSE(mesh) << name;
    reasons.push_back(mesh.error().reason);
  }
  EXPECT_EQ(reasons[0], reasons[1]);
}

TEST(Meshes, WhatIsNoSurfaceIsRefusedAndWhatIsOddIsReported) {
  const TempFolder folder;
  const auto load = [&](const char* name, const std::string& text) {
    test::write_bytes(folder / name, text);
    return load_mesh(folder / name);
  };
  const auto flat = load("flat.off", "OFF\n1 2 0\n0 0 0\n3 0 0 0\n3 0 0 0\n");
  ASSERT_FALSE(flat) << "two triangles on one vertex";
  EXPECT_EQ(flat.error().code, codes::asset_lacks);
  EXPECT_THAT(flat.error().reason, HasSubstr("none of its 2 triangles has an area"));
  const auto warned = [&](const std::string& text, const char* what) {
    const auto mesh = load("t.obj", text);
    EXPECT_TRUE(mesh) << mesh.error().text();
    const auto& warnings = (*mesh)->warnings;
    return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& w) { return w.find(what) != w.npos; });
  };
  EXPECT_TRUE(warned("v 0 0 0\nv 1e25 0 0\nv 0 1 0\nf 1 2 3\n", "reaches to 1e+25"));
  EXPECT_TRUE(warned("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 6e6 0 0\nv 6000001 0 0\nv 6e6 1 0\no a\nf 1 2 3\no b\nf 4 5 6\n",
                     "kept in steps of 0.5 (f32)"));
  EXPECT_FALSE(warned("v 0 0 0\nv 1000 0 0\nv 0 1 0\nf 1 2 3\n", "reaches"));
  EXPECT_FALSE(warned("v 1000 0 0\nv 1001 0 0\nv 1000 1 0\nf 1 2 3\n", "steps"));
}

TEST(Assets, APathThatLeadsNowhereIsSaidWithThePlaces) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "graph/sub");
  const auto graph = folder / "graph";
  test::write_bytes(graph / "sub/in.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  FileAssets assets(graph);
  EXPECT_TRUE(assets.mesh("sub/in.obj"));
  EXPECT_TRUE(assets.mesh("asset:sub/in.obj"));
  EXPECT_TRUE(assets.mesh((graph / "sub/in.obj").string())) << "an absolute path below the graph";
  for (const std::string path : {"", "none.obj", "asset:none.obj", "asset:", "sub", "/none.obj", "../none.obj"}) {
    const auto mesh = assets.mesh(path);
    ASSERT_FALSE(mesh) << path;
    EXPECT_EQ(mesh.error().code, codes::asset_missing) << path;
    EXPECT_EQ(mesh.error().where, path);
    EXPECT_FALSE(mesh.error().remedy.empty());
  }
  const auto missing = assets.mesh("asset:none.obj");
  EXPECT_THAT(missing.error().reason, HasSubstr(graph.string()));
  EXPECT_THAT(missing.error().reason, HasSubstr("/usr/share/assimp/models"));
}

TEST(Assets, AChangedTextureIsReadAgain) {
  const TempFolder folder;
  test::write_bytes(folder / "quad.obj", kQuad);
  test::write_bytes(folder / "quad.mtl", "newmtl skin\nmap_Kd skin.png\n");
  ASSERT_TRUE(save_png(picture(4, 2), folder / "skin.png"));
  FileAssets assets(folder.path());
  const auto before = assets.mesh("quad.obj");
  ASSERT_TRUE(before) << before.error().text();
  EXPECT_EQ(assets.mesh("quad.obj")->get(), before->get());
  const auto time = std::filesystem::last_write_time(folder / "skin.png");
  ASSERT_TRUE(save_png(picture(8, 2), folder / "skin.png"));
  std::filesystem::last_write_time(folder / "skin.png", time - std::chrono::hours(1));  // an older one
  const auto after = assets.mesh("quad.obj");
  ASSERT_TRUE(after) << after.error().text();
  EXPECT_EQ((*before)->parts.at(0).texture->width, 4);
  EXPECT_EQ((*after)->parts.at(0).texture->width, 8);
}

TEST(Assets, ExtraFoldersAndChangedFiles) {
  const TempFolder folder;
  const auto file = folder / "t.obj";
  test::write_bytes(file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  ::setenv("HALFWIRE_ASSETS", ("/nowhere::" + folder.path().string()).c_str(), 1);
  FileAssets assets("/");
  const auto first = assets.mesh("asset:t.obj");
  ::unsetenv("HALFWIRE_ASSETS");
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_FALSE(assets.mesh("asset:t.obj"));
  const auto before = assets.mesh(file.string());
  ASSERT_TRUE(before);
  test::write_bytes(file, "v 0 0 0\nv 3 0 0\nv 0 1 0\nf 1 2 3\n");
  std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + std::chrono::seconds(2));
  const auto after = assets.mesh(file.string());
  ASSERT_TRUE(after);
  EXPECT_EQ((*before)->bounds_max[0], 1);
  EXPECT_EQ((*after)->bounds_max[0], 3) << "a changed file is read again";
}

TEST(AssetRefs, AMissingDataSetIsAWarningAMissingMeshAnError) {
  Graph graph;
  ASSERT_TRUE(apply_edits(graph, {AddNode{test::node("data", "dataset_source", {{"path", std::string("asset:no")}})},
                                  AddNode{test::node("mesh", "mesh_source", {{"path", std::string("no.obj")}})},
                                  AddNode{test::node("empty", "mesh_source")}}));
  const TempFolder folder;
  FileAssets assets(folder.path());
  const auto refs = asset_refs(graph);
  ASSERT_EQ(refs.size(), 2u);
  for (const AssetRef& ref : refs) {
    const auto found = assets.resolve(ref.path, ref.kind == Kind::dataset);
    ASSERT_FALSE(found);
    const Diagnostic d = asset_problem(ref, found.error());
    EXPECT_EQ(d.code, codes::asset_missing);
    EXPECT_EQ(d.severity, ref.node == "data" ? Severity::warning : Severity::error) << ref.node;
    EXPECT_EQ(d.socket, "path");
    EXPECT_THAT(d.reason, HasSubstr(ref.path));
  }
  std::filesystem::create_directory(folder / "no");
  EXPECT_TRUE(assets.resolve("asset:no", true)) << "a folder is what a data set is looked for as";
}

}  // namespace
}  // namespace hw::io_assets_test
