// Damaged models of many formats: a seeded set made from assimp-testmodels, and a folder of known bad ones where there
// is one (HALFWIRE_BAD_MODELS). Whatever they do to the reader, this process gets a model or an error, within the
// limits.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "engine/core/codes.h"
#include "engine/io/mesh/model.h"
#include "tests/engine/io_temp.h"

namespace hw {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;

constexpr char kModels[] = "/usr/share/assimp/models";
constexpr const char* kFiles[] = {
    "3DS/CameraRollAnimWithChildObject.3ds",
    "3DS/cube_with_diffuse_texture.3DS",
    "3MF/box.3mf",
    "AC/SphereWithLight.ac",
    "AMF/test5.amf",
    "ASE/RotatingCube.ASE",
    "B3D/WusonBlitz.b3d",
    "COB/molecule.cob",
    "Collada/ConcavePolygon.dae",
    "Collada/cube_emptyTags.dae",
    "FBX/box.fbx",
    "FBX/boxWithCompressedCTypeArray.FBX",
    "IRRMesh/cellar.irrmesh",
    "LWO/LWO2/MappingModes/earth_cylindrical_x.lwo",
    "MD5/SimpleCube.md5mesh",
    "MS3D/twospheres.ms3d",
    "OBJ/box.obj",
    "OBJ/concave_polygon.obj",
    "OFF/Cube.off",
    "OpenGEX/Example.ogex",
    "PLY/cube_binary.ply",
    "PLY/cube_uv.ply",
    "STL/sphereWithHole.stl",
    "STL/triangle.stl",
    "X/test_cube_binary.x",
    "X/test_cube_text.x",
    "glTF/BoxTextured-glTF-Embedded/BoxTextured.gltf",
    "glTF2/BoxTextured-glTF-Binary/BoxTextured.glb",
    "glTF2/BoxTextured-glTF-Embedded/BoxTextured.gltf",
};
constexpr int kShards = 4, kCasesPerShard = 140;
constexpr uint64_t kMaxBytes = 1'000'000'000;
constexpr double kMaxCpuSeconds = 5;

/// One damage: bits, bytes, whole words, numbers in text, a cut, a piece twice, a piece gone.
void damage(std::string& bytes, std::mt19937_64& random) {
  if (bytes.size() < 16) return;
  const size_t at = random() % (bytes.size() - 8), span = 1 + random() % std::min<size_t>(64, bytes.size() - at - 1);
  const uint32_t words[] = {0, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x7FC00000, static_cast<uint32_t>(random())};
  switch (random() % 7) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 1:
      for (size_t i = 0; i < span; ++i) bytes[at + i] = static_cast<char>(random());
      break;
    case 2:
      std::memcpy(bytes.data() + at, &words[random() % 6], 4);
      break;
    case 3: {
      const char* numbers[] = {"-1", "99999999999", "nan", "1e39", "4294967295", ""};
      const size_t digit = bytes.find_first_of("0123456789", at);
      if (digit != std::string::npos) bytes.replace(digit, 1, numbers[random() % 6]);
      break;
    }
    case 4:
      bytes.resize(at);
      break;
    case 5:
      bytes.insert(random() % bytes.size(), bytes.substr(at, span));
      break;
    default:
      bytes.erase(at, span);
  }
}

struct Counts {
  int read = 0, refused = 0, crashed = 0, out_of_time = 0, out_of_memory = 0;
  double worst_seconds = 0;
  uint64_t worst_bytes = 0;

  void add(const fs::path& file) {
    ImportCost cost;
    const auto model = load_model(file, Reach(), &cost);
    int* const slots[] = {&read, &refused, &crashed, &out_of_time, &out_of_memory};
    ++*slots[static_cast<size_t>(cost.end)];
    EXPECT_EQ(cost.end == ImportCost::End::read, static_cast<bool>(model));
    if (!model) {
      EXPECT_TRUE(model.error().code.starts_with("HW-A00")) << model.error().text();
      EXPECT_NE(model.error().code, codes::importer_missing) << model.error().text();
      EXPECT_NE(model.error().text().find(file.filename().string()), std::string::npos) << model.error().text();
      EXPECT_FALSE(model.error().remedy.empty());
    }
    EXPECT_LT(cost.cpu_seconds, kMaxCpuSeconds) << file;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(cost.peak_bytes, kMaxBytes) << file;
#endif
    worst_seconds = std::max(worst_seconds, cost.cpu_seconds);
    worst_bytes = std::max(worst_bytes, cost.peak_bytes);
  }
  void print(const char* what) const {
    std::printf(
        "%s: %d read, %d refused, %d crashed the child, %d out of time, %d out of memory; at most %.2f s, %.0f MB\n",
        what, read, refused, crashed, out_of_time, out_of_memory, worst_seconds,
        static_cast<double>(worst_bytes) * 1e-6);
  }
};

class MutatedModels : public ::testing::TestWithParam<int> {};

TEST_P(MutatedModels, NoneHarmsTheParent) {
  const TempFolder folder;
  std::vector<fs::path> files;
  for (const char* name : kFiles) {
    if (fs::exists(fs::path(kModels) / name)) files.push_back(fs::path(kModels) / name);
  }
  ASSERT_GE(files.size(), 20u) << "assimp-testmodels is not installed";
  Counts counts;
  for (int i = 0; i < kCasesPerShard; ++i) {
    const int seed = GetParam() * kCasesPerShard + i;
    std::mt19937_64 random(static_cast<uint64_t>(seed));
    const fs::path& original = files[static_cast<size_t>(seed) % files.size()];
    std::string bytes = test::read_bytes(original);
    for (uint64_t n = 1 + random() % 2; n > 0; --n) damage(bytes, random);
    const fs::path file = folder / (std::to_string(seed) + original.extension().string());
    test::write_bytes(file, bytes);
    SCOPED_TRACE(original.string() + ", seed " + std::to_string(seed));
    counts.add(file);
    fs::remove(file);
  }
  counts.print("mutated models");
  EXPECT_GT(counts.read, 5) << "damage that leaves nothing readable tests little";
  EXPECT_GT(counts.refused, 5);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MutatedModels, ::testing::Range(0, kShards));

TEST(BadModels, OfTheFolderThatIsNamed) {
  const char* named = std::getenv("HALFWIRE_BAD_MODELS");
  const fs::path folder = named ? named : "/usr/share/assimp/models/invalid";
  Counts counts;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) counts.add(entry.path());
  }
  counts.print("known bad models");
  EXPECT_GT(counts.refused + counts.crashed + counts.out_of_memory + counts.out_of_time, 5);
}

}  // namespace
}  // namespace hw
