#include "engine/io/mesh/model_instances.h"

#include <algorithm>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/core/srgb.h"
#include "engine/io/mesh/model_colour.h"

namespace hw {
namespace {

constexpr size_t kMaxVertices = 50'000'000;
constexpr size_t kMaxNodes = 1'000'000;

Point point(const aiVector3D& v) {
  return {v.x, v.y, v.z};
}

Affine affine(const aiMatrix4x4& m) {
  return {{{{m.a1, m.a2, m.a3, m.a4}, {m.b1, m.b2, m.b3, m.b4}, {m.c1, m.c2, m.c3, m.c4}}}};
}

/// f32 may be infinite where f64 is not.
std::array<float, 3> narrow(const Point& p) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

/// Unit length; a normal without direction points up.
std::array<float, 3> unit(const Point& v) {
  const double length = std::hypot(v[0], v[1], v[2]);
  if (!std::isfinite(length) || length < 1e-30) return {0, 1, 0};
  return narrow({v[0] / length, v[1] / length, v[2] / length});
}

/// glTF's vertex colours are linear; other formats' are taken as shown on screen.
std::array<float, 3> vertex_colour(const aiMesh& mesh, unsigned i, bool linear) {
  if (!mesh.mColors[0]) return {1, 1, 1};
  const aiColor4D& c = mesh.mColors[0][i];
  std::array<float, 3> colour{c.r, c.g, c.b};
  for (float& x : colour) x = linear ? encode_srgb(channel(x)) : channel(x);
  return colour;
}

}  // namespace

Error unreadable_model(const std::filesystem::path& file, const std::string& reason) {
  return {codes::asset_unreadable, file.string(), "the model cannot be read: " + reason + ".",
          "Export it again, as glTF or OBJ say."};
}

Result<std::vector<Instance>> instances_of(const aiScene& scene, const std::map<const aiNode*, Affine>& local,
                                           const std::filesystem::path& file) {
  std::vector<Instance> found;
  std::vector<std::pair<const aiNode*, Affine>> open{{scene.mRootNode, Affine()}};
  size_t nodes = 0, vertices = 0;
  while (!open.empty()) {
    const auto [node, parent] = open.back();
    open.pop_back();
    if (++nodes > kMaxNodes) return unreadable_model(file, "more than a million nodes");
    const auto known = local.find(node);
    const Affine transform = parent * (known != local.end() ? known->second : affine(node->mTransformation));
    for (unsigned i = 0; i < node->mNumMeshes; ++i) {
      const aiMesh* mesh = scene.mMeshes[node->mMeshes[i]];
      if (!(mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE)) continue;
      vertices += mesh->mNumVertices;
      if (vertices > kMaxVertices) return unreadable_model(file, "more than 50 million vertices");
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

SpaceBox box_of(const std::vector<Instance>& instances) {
  SpaceBox box;
  for (const Instance& i : instances)
    for (unsigned v = 0; v < i.mesh->mNumVertices; ++v) box.add(i.transform(point(i.mesh->mVertices[v])));
  return box;
}

SpaceBox box_before_placing(const std::vector<Instance>& instances) {
  SpaceBox box;
  for (const Instance& i : instances)
    for (unsigned v = 0; v < i.mesh->mNumVertices; ++v) box.add(point(i.mesh->mVertices[v]));
  return box;
}

Status append(Mesh& out, const Instance& instance, const UvMap& uv, const Arrays& arrays) {
  const auto error = [](const std::string& reason) { return Error{"", "", reason, ""}; };
  const aiMesh& mesh = *instance.mesh;
  const bool mirrored = instance.transform.determinant() < 0;
  const auto base = static_cast<uint32_t>(out.positions.size());
  const aiVector3D* uvs = uv.set < AI_MAX_NUMBER_OF_TEXTURECOORDS ? mesh.mTextureCoords[uv.set] : nullptr;
  for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
    Point p = instance.transform(point(mesh.mVertices[i]));
    for (size_t axis = 0; axis < 3; ++axis) p[axis] -= out.origin[axis];
    const auto position = narrow(p);
    if (!std::all_of(position.begin(), position.end(), [](float x) { return std::isfinite(x); }))
      return error("a position is not finite");
    out.positions.push_back(position);
    out.normals.push_back(unit(mesh.mNormals ? instance.transform.normal(point(mesh.mNormals[i])) : Point{}));
    if (arrays.colours) out.colours.push_back(vertex_colour(mesh, i, arrays.linear_colours));
    if (!arrays.uvs) continue;
    const auto [u, v] = uvs ? uv(uvs[i].x, uvs[i].y) : std::array<double, 2>{};
    out.uvs.push_back({static_cast<float>(u), static_cast<float>(v)});
    if (!std::isfinite(out.uvs.back()[0]) || !std::isfinite(out.uvs.back()[1]))
      return error("a texture coordinate is not finite");
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

}  // namespace hw
