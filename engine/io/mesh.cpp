// Models by Assimp → Mesh: instances of the scene flattened into one vertex array, one part a material.
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/io/assets.h"
#include "engine/io/mesh_texture.h"

namespace hw {
namespace {

constexpr size_t kMaxVertices = 50'000'000;
constexpr size_t kMaxNodes = 1'000'000;
constexpr unsigned kSteps = aiProcess_Triangulate | aiProcess_JoinIdenticalVertices | aiProcess_GenSmoothNormals |
                            aiProcess_SortByPType | aiProcess_ValidateDataStructure;

Error unreadable(const std::filesystem::path& file, const std::string& reason) {
  return {codes::asset_unreadable, file.string(), "the model cannot be read: " + reason + ".",
          "Export it again, as glTF or OBJ say."};
}

/// A mesh placed in the scene.
struct Instance {
  const aiMesh* mesh;
  aiMatrix4x4 transform;
};

Result<std::vector<Instance>> instances_of(const aiScene& scene, const std::filesystem::path& file) {
  std::vector<Instance> found;
  std::vector<std::pair<const aiNode*, aiMatrix4x4>> open{{scene.mRootNode, aiMatrix4x4()}};
  size_t nodes = 0, vertices = 0;
  while (!open.empty()) {
    const auto [node, parent] = open.back();
    open.pop_back();
    if (++nodes > kMaxNodes) return unreadable(file, "more than a million nodes");
    const aiMatrix4x4 transform = parent * node->mTransformation;
    for (unsigned i = 0; i < node->mNumMeshes; ++i) {
      const aiMesh* mesh = scene.mMeshes[node->mMeshes[i]];
      if (!(mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE)) continue;
      vertices += mesh->mNumVertices;
      if (vertices > kMaxVertices) return unreadable(file, "more than 50 million vertices");
      found.push_back({mesh, transform});
    }
    for (unsigned i = node->mNumChildren; i-- > 0;) open.emplace_back(node->mChildren[i], transform);
  }
  // One part a material, in the order of materials; the scene's order within.
  std::stable_sort(found.begin(), found.end(), [](const Instance& a, const Instance& b) {
    return a.mesh->mMaterialIndex < b.mesh->mMaterialIndex;
  });
  return found;
}

bool finite(const aiVector3D& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Unit length; a normal without direction points up.
std::array<float, 3> unit(const aiVector3D& v) {
  const double length = std::sqrt(double{v.x} * v.x + double{v.y} * v.y + double{v.z} * v.z);
  if (!std::isfinite(length) || length < 1e-30) return {0, 1, 0};
  return {static_cast<float>(v.x / length), static_cast<float>(v.y / length), static_cast<float>(v.z / length)};
}

/// Appends vertices and triangles. Error: a reason.
Status append(Mesh& out, const Instance& instance, bool with_uvs) {
  const auto error = [](const std::string& reason) { return Error{"", "", reason, ""}; };
  const aiMesh& mesh = *instance.mesh;
  const aiMatrix3x3 linear(instance.transform);
  const bool mirrored = linear.Determinant() < 0;
  aiMatrix3x3 normal_matrix = linear;
  if (std::abs(linear.Determinant()) > 0) normal_matrix.Inverse().Transpose();
  const auto base = static_cast<uint32_t>(out.positions.size());
  for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
    const aiVector3D p = instance.transform * mesh.mVertices[i];
    if (!finite(p)) return error("a position is not finite");
    out.positions.push_back({p.x, p.y, p.z});
    out.normals.push_back(unit(mesh.mNormals ? normal_matrix * mesh.mNormals[i] : aiVector3D(0)));
    if (!with_uvs) continue;
    const aiVector3D uv = mesh.mTextureCoords[0] ? mesh.mTextureCoords[0][i] : aiVector3D(0);
    if (!finite(uv)) return error("a texture coordinate is not finite");
    out.uvs.push_back({uv.x, uv.y});
  }
  for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
    const aiFace& face = mesh.mFaces[i];
    if (face.mNumIndices != 3) continue;  // points and lines
    std::array<uint32_t, 3> t{face.mIndices[0], face.mIndices[1], face.mIndices[2]};
    for (uint32_t& index : t) {
      if (index >= mesh.mNumVertices) return error("a triangle names a vertex that is not there");
      index += base;
    }
    if (mirrored) std::swap(t[1], t[2]);
    out.triangles.push_back(t);
  }
  return ok();
}

float encode_srgb(float linear) {
  const float x = std::clamp(linear, 0.0f, 1.0f);
  return x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1 / 2.4f) - 0.055f;
}

/// glTF's base colour is linear and multiplies its texture; other formats' diffuse colour is taken as shown on screen
/// and gives way to a texture.
Status set_material(MeshPart& part, const aiMaterial& material, TextureLoader& textures) {
  HW_TRY(part.texture, textures.base_colour(material));
  aiColor4D colour;
  if (material.Get(AI_MATKEY_BASE_COLOR, colour) == AI_SUCCESS) {
    part.base_color = {encode_srgb(colour.r), encode_srgb(colour.g), encode_srgb(colour.b),
                       std::clamp(colour.a, 0.0f, 1.0f)};
  } else if (part.texture) {
    part.base_color = {1, 1, 1, 1};
  } else if (material.Get(AI_MATKEY_COLOR_DIFFUSE, colour) == AI_SUCCESS) {
    part.base_color = {std::clamp(colour.r, 0.0f, 1.0f), std::clamp(colour.g, 0.0f, 1.0f),
                       std::clamp(colour.b, 0.0f, 1.0f), 1};
  }
  return ok();
}

Result<std::shared_ptr<const Mesh>> convert_scene(const aiScene& scene, const std::filesystem::path& file) {
  HW_TRY(const std::vector<Instance> instances, instances_of(scene, file));
  const bool with_uvs = std::any_of(instances.begin(), instances.end(),
                                    [](const Instance& i) { return i.mesh->mTextureCoords[0] != nullptr; });
  auto mesh = std::make_shared<Mesh>();
  mesh->name = file.stem().string();
  TextureLoader textures(scene, file);
  unsigned material = ~0u;
  for (const Instance& instance : instances) {
    const auto first = static_cast<uint32_t>(mesh->triangles.size());
    const Status appended = append(*mesh, instance, with_uvs);
    if (!appended) return unreadable(file, appended.error().reason);
    const auto count = static_cast<uint32_t>(mesh->triangles.size()) - first;
    if (count == 0) continue;
    if (mesh->parts.empty() || instance.mesh->mMaterialIndex != material) {
      material = instance.mesh->mMaterialIndex;
      MeshPart part;
      part.first_triangle = first;
      if (material < scene.mNumMaterials) HW_CHECK(set_material(part, *scene.mMaterials[material], textures));
      mesh->parts.push_back(std::move(part));
    }
    mesh->parts.back().triangle_count += count;
  }
  if (mesh->triangles.empty()) {
    return Error{codes::asset_lacks, file.string(), "the model has no triangles.", "Use a model with surfaces."};
  }
  mesh->bounds_min = mesh->bounds_max = mesh->positions[mesh->triangles[0][0]];
  for (const auto& triangle : mesh->triangles) {
    for (const uint32_t vertex : triangle) {
      for (size_t axis = 0; axis < 3; ++axis) {
        mesh->bounds_min[axis] = std::min(mesh->bounds_min[axis], mesh->positions[vertex][axis]);
        mesh->bounds_max[axis] = std::max(mesh->bounds_max[axis], mesh->positions[vertex][axis]);
      }
    }
  }
  return std::shared_ptr<const Mesh>(std::move(mesh));
}

}  // namespace

Result<std::shared_ptr<const Mesh>> load_mesh(const std::filesystem::path& file) {
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return unreadable(file, ec ? ec.message() : "there is no such file");
  if (!std::filesystem::is_regular_file(file, ec)) return unreadable(file, "this is not a file");
  try {
    Assimp::Importer importer;
    const aiScene* scene = importer.ReadFile(file.string(), kSteps);
    if (!scene || !scene->mRootNode) {
      std::string why = importer.GetErrorString();
      while (!why.empty() && (why.back() == '.' || why.back() == '\n' || why.back() == ' ')) why.pop_back();
      return unreadable(file, why.empty() ? "unknown format" : why);
    }
    return convert_scene(*scene, file);
  } catch (const std::exception& e) {
    return unreadable(file, e.what());
  }
}

}  // namespace hw
