// What Assimp logs while it reads a model, and what of that is no fault of the model.
#include "engine/io/mesh/assimp_log.h"

#include <assimp/scene.h>
#include <gmock/gmock.h>

#include <assimp/DefaultLogger.hpp>

namespace hw {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// A scene of one mesh with this many sets of uvs.
struct Scene {
  explicit Scene(unsigned uv_sets) {
    auto* mesh = new aiMesh;
    mesh->mNumVertices = 1;
    mesh->mVertices = new aiVector3D[1];
    for (unsigned set = 0; set < uv_sets; ++set) mesh->mTextureCoords[set] = new aiVector3D[1];
    scene.mMeshes = new aiMesh* [1] { mesh };
    scene.mNumMeshes = 1;
  }
  aiScene scene;  // it owns the mesh
};

void log_error(const char* message) {
  Assimp::DefaultLogger::get()->error(message);
}

TEST(AssimpLog, AMappingOfUvSetsIsAFaultOnlyWhereThereAreSeveral) {
  const AssimpLog log;
  log_error("Collada: Unexpected effect input mapping");
  EXPECT_THAT(log.errors(Scene(1).scene), SizeIs(0));
  EXPECT_THAT(log.errors(Scene(2).scene),
              ElementsAre("The model's reader says: Collada: Unexpected effect input mapping."));
}

TEST(AssimpLog, WhatIsLeftOutTakesNoPlaceOfTheFirstFive) {
  const AssimpLog log;
  log_error("Collada: Unexpected effect input mapping");
  for (const char* message : {"a", "b", "c", "d", "e", "f"}) log_error(message);
  EXPECT_THAT(log.errors(Scene(1).scene), SizeIs(5));
}

TEST(AssimpLog, TheSameIsSaidOnceAndWarningsApart) {
  const AssimpLog log;
  for (const char* message : {"a face is broken", "a name is too long", "a face is broken"}) log_error(message);
  Assimp::DefaultLogger::get()->warn("a name is odd");
  EXPECT_THAT(log.errors(Scene(1).scene), ElementsAre("The model's reader says: a face is broken.",
                                                      "The model's reader says: a name is too long."));
  EXPECT_THAT(log.warnings(), ElementsAre("The model's reader says: a name is odd."));
}

}  // namespace
}  // namespace hw
