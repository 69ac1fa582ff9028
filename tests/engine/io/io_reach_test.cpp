// Reach: one function decides what a graph may read, for every way of naming a file.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/io/asset/assets.h"
#include "engine/io/file/reach.h"
#include "engine/io/media/image_file.h"
#include "tests/engine/idx_files.h"
#include "tests/engine/io_temp.h"

namespace hw::io_reach_test {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using test::write_bytes;
using ::testing::HasSubstr;

constexpr char kTriangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

std::string png() {
  const TempFolder folder;
  EXPECT_TRUE(save_png({1, 1, {10, 20, 30, 255}}, folder / "p.png"));
  return test::read_bytes(folder / "p.png");
}

TEST(Reach, FollowsLinksBeforeItCompares) {
  const TempFolder folder;
  fs::create_directories(folder / "graph/sub");
  fs::create_directories(folder / "graphs");
  write_bytes(folder / "out.txt", "");
  write_bytes(folder / "graphs/near.txt", "");
  write_bytes(folder / "graph/sub/in.txt", "");
  fs::create_symlink("/", folder / "graph/root");
  fs::create_symlink(folder / "graph/sub", folder / "graph/inner");
  fs::create_symlink(folder / "graph", folder / "door");
  const Reach reach(folder / "graph");
  for (const char* name : {"graph/sub/in.txt", "graph/inner/in.txt", "door/sub/in.txt", "graph/sub/../sub/in.txt",
                           "graphs/../graph/sub/in.txt", "graph"}) {
    const Status may = reach.check(folder / name, name);
    EXPECT_TRUE(may) << name << ": " << may.error().text();
  }
  EXPECT_TRUE(reach.check("/usr/share/assimp/models/OBJ/box.obj", "box")) << "an asset folder";
  const std::string through = "graph/root" + (folder / "out.txt").string();
  for (const std::string& name : {std::string("out.txt"), std::string("graphs/near.txt"), through,
                                  std::string("graph/../out.txt"), std::string("graph/none/../../out.txt")}) {
    const Status may = reach.check(folder / name, "asset:x");
    ASSERT_FALSE(may) << name;
    EXPECT_EQ(may.error().code, codes::asset_refused);
    EXPECT_THAT(may.error().where, HasSubstr(".txt")) << "the file that is meant";
    EXPECT_THAT(may.error().where, ::testing::Not(HasSubstr("root"))) << "links are followed";
    EXPECT_THAT(may.error().reason, HasSubstr("\"asset:x\""));
    EXPECT_THAT(may.error().remedy, HasSubstr("--allow-path"));
  }
}

TEST(Reach, WhatIsAllowedIsAFileOrAFolder) {
  const TempFolder folder;
  fs::create_directories(folder / "graph");
  fs::create_directories(folder / "data/deep");
  for (const char* name : {"one.txt", "one.txt.more", "data/deep/x", "data/y"}) write_bytes(folder / name, "");
  Reach reach(folder / "graph");
  reach.allow(folder / "one.txt");
  EXPECT_TRUE(reach.check(folder / "one.txt", ""));
  EXPECT_FALSE(reach.check(folder / "one.txt.more", ""));
  EXPECT_FALSE(reach.check(folder / "data/y", ""));
  reach.allow((folder / "data").string() + "/");
  EXPECT_TRUE(reach.check(folder / "data/y", ""));
  EXPECT_TRUE(reach.check(folder / "data/deep/x", ""));
  EXPECT_FALSE(Reach().check(folder / "one.txt", "")) << "an empty one reaches nothing";
}

TEST(Reach, HoldsForMeshesPicturesAndDataSets) {
  const TempFolder folder;
  fs::create_directories(folder / "graph");
  fs::create_directories(folder / "set");
  write_bytes(folder / "out.obj", kTriangle);
  write_bytes(folder / "out.png", png());
  test::write_idx_set(folder / "set", {5, 3}, {2, 3}, 4);
  fs::create_symlink("/", folder / "graph/root");
  const std::string root = folder.path().string();
  const DatasetSpec spec{{1, 2, 3}, 4};
  FileAssets assets(folder / "graph");
  for (const std::string& before : {std::string("asset:root") + root + "/", std::string("root") + root + "/",
                                    std::string("../"), std::string("asset:../"), root + "/"}) {
    EXPECT_EQ(assets.mesh(before + "out.obj").error().code, codes::asset_refused) << before;
    EXPECT_EQ(assets.image(before + "out.png").error().code, codes::asset_refused) << before;
    EXPECT_EQ(assets.dataset(before + "set", spec).error().code, codes::asset_refused) << before;
    EXPECT_EQ(assets.dataset(before + "set/train-images-idx3-ubyte", spec).error().code, codes::asset_refused);
  }
  // The files of a data set within reach may be links, too.
  fs::create_directory(folder / "graph/set");
  for (const auto& entry : fs::directory_iterator(folder / "set"))
    fs::create_symlink(entry.path(), folder / "graph/set" / entry.path().filename());
  EXPECT_EQ(assets.dataset("set", spec).error().code, codes::asset_refused);
  assets.allow(folder.path());
  EXPECT_TRUE(assets.dataset("set", spec));
  EXPECT_TRUE(assets.mesh("../out.obj"));
  EXPECT_TRUE(assets.image(root + "/out.png"));
}

TEST(Reach, WhatAPersonNamedIsTheirs) {
  const TempFolder folder;
  fs::create_directories(folder / "graph");
  fs::create_directories(folder / "set");
  write_bytes(folder / "out.obj", kTriangle);
  write_bytes(folder / "other.obj", kTriangle);
  test::write_idx_set(folder / "set", {5, 3}, {2, 3}, 4);
  FileAssets assets(folder / "graph");
  assets.allow_named(Kind::mesh, "../out.obj");
  assets.allow_named(Kind::dataset, (folder / "set/train-images-idx3-ubyte").string());
  EXPECT_TRUE(assets.mesh("../out.obj"));
  EXPECT_TRUE(assets.mesh((folder / "out.obj").string())) << "the same file";
  EXPECT_FALSE(assets.mesh("../other.obj"));
  EXPECT_TRUE(assets.dataset((folder / "set").string(), {{1, 2, 3}, 4})) << "one of its files stands for the folder";
}

/// Textures, materials and buffers by every way out of the model's folder.
TEST(Reach, HoldsForWhatModelsReferTo) {
  const TempFolder folder;
  fs::create_directories(folder / "graph/models");
  write_bytes(folder / "secret.png", png());
  write_bytes(folder / "secret.mtl", "newmtl skin\nKd 0 0 1\nmap_Kd in.png\n");
  write_bytes(folder / "graph/in.png", png());
  fs::create_symlink(folder / "secret.png", folder / "graph/models/link.png");
  const std::string quad =
      "mtllib quad.mtl\nv 0 0 0\nv 2 0 0\nv 2 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nusemtl skin\nf 1/1 2/2 3/3\n";
  const auto model = folder / "graph/models/quad.obj";
  write_bytes(model, quad);
  const Reach reach(folder / "graph");
  const auto with_texture = [&](const std::string& name) {
    write_bytes(folder / "graph/models/quad.mtl", "newmtl skin\nmap_Kd " + name + "\n");
    return load_model(model, reach);
  };
  for (const std::string& name :
       {std::string("../../secret.png"), (folder / "secret.png").string(), std::string("link.png"),
        "file://" + (folder / "secret.png").string(), std::string("..\\..\\secret.png")}) {
    const auto read = with_texture(name);
    ASSERT_TRUE(read) << name << ": " << read.error().text();
    EXPECT_FALSE(read->mesh->parts.at(0).texture) << name;
    ASSERT_EQ(read->info.textures.size(), 1u);
    EXPECT_EQ(read->info.textures[0].state, ModelTexture::State::refused) << name;
    ASSERT_EQ(read->info.refused.size(), 1u) << name;
    EXPECT_EQ(read->info.refused[0], fs::canonical(folder / "secret.png").string()) << name;
  }
  const auto inside = with_texture("../in.png");
  ASSERT_TRUE(inside);
  EXPECT_TRUE(inside->mesh->parts.at(0).texture) << "below the graph";
  EXPECT_FALSE(load_model(model, Reach())->mesh->parts.at(0).texture) << "not below the model";

  fs::remove(folder / "graph/models/quad.mtl");  // which Assimp tries next
  write_bytes(model, "mtllib ../../secret.mtl\n" + quad.substr(quad.find('\n') + 1));
  const auto material = load_model(model, reach);
  ASSERT_TRUE(material) << material.error().text();
  EXPECT_TRUE(material->info.textures.empty()) << "the material was not read";
  EXPECT_EQ(material->info.refused, std::vector<std::string>{fs::canonical(folder / "secret.mtl").string()});

  write_bytes(folder / "secret.bin", std::string(36, '\0'));
  write_bytes(folder / "graph/t.gltf", R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri": "../secret.bin"}]})");
  const auto buffer = load_model(folder / "graph/t.gltf", reach);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, codes::asset_refused) << buffer.error().text();
  EXPECT_THAT(buffer.error().where, HasSubstr("secret.bin"));
}

TEST(Reach, AModelIsReadAgainOnceMoreIsAllowed) {
  const TempFolder folder;
  fs::create_directories(folder / "graph");
  write_bytes(folder / "skin.png", png());
  write_bytes(folder / "graph/quad.obj",
              "mtllib quad.mtl\nv 0 0 0\nv 2 0 0\nv 2 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nusemtl skin\nf 1/1 2/2 3/3\n");
  write_bytes(folder / "graph/quad.mtl", "newmtl skin\nmap_Kd ../skin.png\n");
  FileAssets assets(folder / "graph");
  ASSERT_TRUE(assets.mesh("quad.obj"));
  EXPECT_FALSE((*assets.mesh("quad.obj"))->parts.at(0).texture);
  ASSERT_EQ(assets.refused("quad.obj").size(), 1u);
  assets.allow(assets.refused("quad.obj")[0]);
  EXPECT_TRUE((*assets.mesh("quad.obj"))->parts.at(0).texture);
  EXPECT_TRUE(assets.refused("quad.obj").empty());
}

}  // namespace
}  // namespace hw::io_reach_test
