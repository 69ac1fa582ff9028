// The import child as its parent sees it: crashes, hangs, memory, rubbish, and models of every kind.
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>

#include "engine/core/codes.h"
#include "engine/io/asset/assets.h"
#include "engine/io/child/reading_child.h"
#include "engine/io/media/image_file.h"
#include "engine/io/mesh/model.h"
#include "tests/engine/io_temp.h"
#include "tests/models/planted.h"

namespace hw {
namespace {

using End = ImportCost::End;
using test::FakeImporter;
using test::TempFolder;
using ::testing::HasSubstr;

constexpr char kTriangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

struct Case {
  const char* script;
  End end;
  const char* reason;
};

TEST(ImportChild, WhateverItDoesIsAnErrorThatNamesTheFile) {
  const TempFolder folder;
  test::write_bytes(folder / "t.obj", kTriangle);
  for (const Case& c :
       {Case{"kill -SEGV $$", End::crashed, "failed on this one (Segmentation fault)"},
        Case{"kill -ABRT $$", End::crashed, "Aborted"}, Case{"exit 1", End::crashed, "failed"},
        Case{"ulimit -S -t 1; while :; do :; done", End::out_of_time, "s of processor time"},
        Case{"exit 40", End::out_of_memory, "takes more than 800 MB"}, Case{"exit 0", End::refused, "something else"},
        Case{"printf rubbish >&3", End::refused, "something else"}}) {
    const FakeImporter importer(c.script);
    ImportCost cost;
    const auto model = load_model(folder / "t.obj", Reach(), &cost);
    ASSERT_FALSE(model) << c.script;
    EXPECT_EQ(model.error().code, codes::asset_costly) << c.script;
    EXPECT_THAT(model.error().where, HasSubstr("t.obj"));
    EXPECT_THAT(model.error().reason, HasSubstr(c.reason)) << c.script;
    EXPECT_FALSE(model.error().remedy.empty());
    EXPECT_EQ(cost.end, c.end) << c.script;
  }
}

TEST(ImportChild, HeldAndHandedOverTogetherFitFreeMemory) {
  const TempFolder folder;
  test::write_bytes(folder / "t.obj", kTriangle);
  child::Reading reading{{"import-mesh"}, folder / "t.obj", "model", 800'000'000, 60'000'000};
  const FakeImporter importer("head -c 50000000 /dev/zero >&3");
  const auto fits = child::run(reading);
  ASSERT_TRUE(fits);
  ASSERT_TRUE(fits->outcome) << fits->fault.error.text();
  EXPECT_EQ(fits->outcome->bytes().size(), 50'000'000u);
  reading.free = 40'000'000;
  const auto over = child::run(reading);
  ASSERT_TRUE(over);
  EXPECT_FALSE(over->outcome);
  EXPECT_EQ(over->fault.kind, child::Fault::Kind::out_of_memory);
  EXPECT_EQ(over->fault.error.code, codes::out_of_memory);
  EXPECT_THAT(over->fault.error.text(),
              HasSubstr("reading the model takes more than the 40 MB of memory that are free"));
}

TEST(ImportChild, WithoutAnImporterNothingIsReadHere) {
  const TempFolder folder;
  test::write_bytes(folder / "t.obj", kTriangle);
  ::setenv("HALFWIRE_IMPORTER", (folder / "none").c_str(), 1);
  const auto missing = load_model(folder / "t.obj", Reach());
  test::write_bytes(folder / "none", "not a program");
  std::filesystem::permissions(folder / "none", std::filesystem::perms::owner_all);
  const auto broken = load_model(folder / "t.obj", Reach());
  ::unsetenv("HALFWIRE_IMPORTER");
  for (const auto* r : {&missing, &broken}) {
    ASSERT_FALSE(*r);
    EXPECT_EQ(r->error().code, codes::importer_missing);
    EXPECT_THAT(r->error().text(), HasSubstr((folder / "none").string()));
  }
  EXPECT_TRUE(load_model(folder / "t.obj", Reach()));
}

TEST(ImportChild, FileNamesAreNotOptions) {
  const TempFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (const char* name : {"--help.obj", "-x.obj", "a b\"$(x).obj", "ünï.obj"}) {
    test::write_bytes(folder / name, kTriangle);
    EXPECT_TRUE(load_model(name, Reach())) << name;
  }
  std::filesystem::current_path(before);
}

/// Two planes with a hill, 1,002,528 triangles, as binary PLY.
std::string million_triangles() {
  constexpr int side = 709;
  std::string bytes = "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(side * side) +
                      "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
                      std::to_string(2 * (side - 1) * (side - 1)) +
                      "\nproperty list uchar int vertex_indices\nend_header\n";
  const auto put = [&](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      for (const int v : {x, y, x * y % 17}) put(static_cast<float>(v) * 0.01f);
    }
  }
  for (int y = 0; y + 1 < side; ++y) {
    for (int x = 0; x + 1 < side; ++x) {
      const int a = y * side + x, b = a + side;
      for (const std::array<int, 3> t : {std::array{a, a + 1, b + 1}, std::array{a, b + 1, b}}) {
        put(uint8_t{3});
        for (const int index : t) put(index);
      }
    }
  }
  return bytes;
}

TEST(ImportChild, AMillionTrianglesFitTheLimits) {
  const TempFolder folder;
  test::write_bytes(folder / "million.ply", million_triangles());
  ImportCost cost;
  const auto model = load_model(folder / "million.ply", Reach(), &cost);
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->mesh->triangles.size(), 1'002'528u);
  std::printf("1,002,528 triangles: %.2f s, %.2f s of processor time, %.0f MB in the child\n", cost.wall_seconds,
              cost.cpu_seconds, static_cast<double>(cost.peak_bytes) * 1e-6);
}

TEST(Model, SeveralMaterialsTexturesAndWarnings) {
  const TempFolder folder;
  test::write_bytes(
      folder / "m.obj",
      "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 0\nvt 0 0\nvt 1 1\nusemtl red\nf 1/1 2/1 3/2\n"
      "usemtl skin\nf 1/1 3/2 4/1\nusemtl lost\nf 2/1 3/2 4/1\nusemtl red\nf 1/1 5/1 2/2\n");
  test::write_bytes(folder / "m.mtl",
                    "newmtl red\nKd 1 0 0\nnewmtl skin\nmap_Kd skin.png\nnewmtl lost\nKd 0 0 1\nmap_Kd lost.png\n"
                    "newmtl broken\nmap_Kd broken.png\n");
  ASSERT_TRUE(save_png(Image{2, 1, {255, 0, 0, 255, 0, 255, 0, 255}}, folder / "skin.png"));
  const auto model = load_model(folder / "m.obj", Reach());
  ASSERT_TRUE(model) << model.error().text();
  const Mesh& mesh = *model->mesh;
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_EQ(model->info.degenerate, 1u);
  EXPECT_EQ(model->info.textures.size(), 2u);
  uint32_t next = 0;
  int red = 0, skin = 0, blue = 0;
  for (const MeshPart& part : mesh.parts) {
    EXPECT_EQ(part.first_triangle, next);
    next += part.triangle_count;
    if (part.texture) {
      skin += static_cast<int>(part.triangle_count);
      EXPECT_EQ(part.texture->width, 2);
    } else if (part.base_color[0] == 1) {
      red += static_cast<int>(part.triangle_count);
    } else {
      blue += static_cast<int>(part.triangle_count);
      EXPECT_EQ(part.base_color, (std::array<float, 4>{0, 0, 1, 1})) << "a lost texture leaves the material's colour";
    }
  }
  EXPECT_EQ(std::tuple(red, skin, blue), std::tuple(2, 1, 1));
  EXPECT_THAT(mesh.warnings,
              ::testing::ElementsAre(HasSubstr("\"lost.png\" is missing"), HasSubstr("1 triangle has no area")));
}

TEST(Model, VertexColoursAndNoUvs) {
  const TempFolder folder;
  test::write_bytes(
      folder / "c.ply",
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 1\n"
      "property list uchar int vertex_indices\nend_header\n0 0 0 255 0 0\n1 0 0 0 255 0\n0 1 0 0 0 51\n3 0 1 2\n");
  const auto model = load_model(folder / "c.ply", Reach());
  ASSERT_TRUE(model) << model.error().text();
  const Mesh& mesh = *model->mesh;
  ASSERT_EQ(mesh.colours.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const bool x = mesh.positions[i][0] > 0, y = mesh.positions[i][1] > 0;
    EXPECT_NEAR(mesh.colours[i][0], x || y ? 0 : 1, 1e-6);
    EXPECT_NEAR(mesh.colours[i][1], x ? 1 : 0, 1e-6);
    EXPECT_NEAR(mesh.colours[i][2], y ? 0.2 : 0, 1e-6);
  }
  EXPECT_TRUE(mesh.uvs.empty());
  EXPECT_THAT(mesh.warnings, ::testing::ElementsAre(HasSubstr("no UVs")));
}

TEST(Model, ScenesWithTransformsEmbeddedTexturesAndUnits) {
  const std::filesystem::path models = "/usr/share/assimp/models";
  const auto glb = load_model(models / "glTF2/BoxTextured-glTF-Binary/BoxTextured.glb", Reach());
  ASSERT_TRUE(glb) << glb.error().text();
  EXPECT_EQ(glb->info.format, "glTF2 Importer");
  ASSERT_EQ(glb->info.textures.size(), 1u);
  EXPECT_EQ(glb->info.textures[0].state, ModelTexture::State::embedded);
  EXPECT_EQ(glb->info.textures[0].width, 211);
  EXPECT_GT(glb->info.transforms, 0u);
  const auto fbx = load_model(models / "FBX/global_settings.fbx", Reach());
  ASSERT_TRUE(fbx) << fbx.error().text();
  EXPECT_GT(fbx->info.unit_in_metres, 0);
  const auto two = load_model(models / "glTF/TwoBoxes/TwoBoxes.gltf", Reach());
  ASSERT_TRUE(two) << two.error().text();
  EXPECT_EQ(two->info.instances, 2u) << "one mesh, placed twice";
  EXPECT_EQ(two->mesh->triangles.size(), 24u);
}

}  // namespace
}  // namespace hw
