// What a glTF file says and Assimp does not hand on: nodes in f64, how textures lie, extensions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/file/reach.h"
#include "engine/io/mesh/affine.h"
#include "engine/io/mesh/gltf_extensions.h"
#include "engine/io/mesh/texture_place.h"

struct aiNode;
struct aiScene;

namespace hw {

/// Vertices of a primitive that the file has as whole numbers, as floats.
struct GltfAttribute {
  enum class Of : uint8_t { position, normal, uv } of;
  unsigned set = 0;           // of the UVs
  std::vector<float> values;  // of a vertex 3, of UVs 2, v down
};
struct GltfPrimitive {
  int64_t material = -1;  // −1: none
  std::vector<GltfAttribute> attributes;
};
struct GltfNode {
  std::vector<size_t> children;
  int64_t mesh = -1;  // −1: none
  Affine local;
};

/// One scene of a file of version 2.
struct GltfScene {
  std::vector<size_t> roots;
  std::vector<GltfNode> nodes;
  std::vector<std::vector<GltfPrimitive>> meshes;
  std::vector<UvMap> textures;         // of each material: how its base colour texture is looked up
  bool has_whole_numbers = false;      // among the attributes of meshes
  UnreadExtensions unread;             // and what else is not read, or lost
  std::optional<std::string> instead;  // bytes for Assimp where it does not take the file's own
};

/// Empty where the file is of another version, too large or not sound: Assimp says what is wrong with it. `reach`:
/// where its buffers may lie. Error HW-A002 for a required extension that is not read, whole numbers that
/// cannot be, members that are not the numbers that they must be, faces without vertices.
Result<GltfScene> read_gltf_scene(const std::filesystem::path& file, const Reach& reach);

/// The same for what Assimp made of the file, before any post-processing.
struct GltfMatch {
  std::map<const aiNode*, Affine> local;  // of each node
  std::map<unsigned, UvMap> textures;     // by Assimp's index of the material
};
/// Puts the attributes that are whole numbers into `scene`. Empty where the two do not have the same tree; none where
/// there are such attributes besides.
std::optional<GltfMatch> match(const GltfScene& gltf, aiScene& scene);

}  // namespace hw
