// Meshes as a scene places them, and their vertices in one mesh.
#pragma once

#include <assimp/scene.h>

#include <filesystem>
#include <map>
#include <vector>

#include "engine/core/mesh.h"
#include "engine/core/result.h"
#include "engine/io/mesh/affine.h"
#include "engine/io/mesh/far_positions.h"
#include "engine/io/mesh/texture_place.h"

namespace hw {

/// A mesh placed in the scene.
struct Instance {
  const aiMesh* mesh;
  Affine transform;
};

Error unreadable_model(const std::filesystem::path& file, const std::string& reason);

/// Those with triangles, by material, in the scene's order within. `local`: transforms of nodes that are known better
/// than Assimp has them. Error HW-A002 for more than a million nodes or 50 million vertices.
Result<std::vector<Instance>> instances_of(const aiScene& scene, const std::map<const aiNode*, Affine>& local,
                                           const std::filesystem::path& file);

/// Where the positions lie, in f64.
SpaceBox box_of(const std::vector<Instance>& instances);
/// The same of the meshes before they are placed: what f32 had to hold when the file was read.
SpaceBox box_before_placing(const std::vector<Instance>& instances);

/// What of the scene's optional arrays the flattened mesh has, and how colours are stored.
struct Arrays {
  bool uvs = false, colours = false, linear_colours = false;
};

/// Appends vertices and triangles; `out.origin` is taken off the positions, in f64. Error: a reason.
Status append(Mesh& out, const Instance& instance, const UvMap& uv, const Arrays& arrays);

}  // namespace hw
