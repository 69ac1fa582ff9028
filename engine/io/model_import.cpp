// Models by Assimp → Mesh: instances of the scene flattened into one vertex array, one part a material.
#include "engine/io/model_import.h"

#include <assimp/DefaultIOSystem.h>
#include <assimp/commonMetaData.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <set>

#include "engine/core/codes.h"
#include "engine/core/srgb.h"
#include "engine/io/gltf_fault.h"
#include "engine/io/model_texture.h"

namespace hw {
namespace {

constexpr size_t kMaxVertices = 50'000'000;
constexpr size_t kMaxNodes = 1'000'000;
constexpr float kFarthest = 1e9f;  // a million kilometres in metres; nothing is modelled so large
constexpr unsigned kSteps = aiProcess_Triangulate | aiProcess_JoinIdenticalVertices | aiProcess_GenSmoothNormals |
                            aiProcess_SortByPType | aiProcess_ValidateDataStructure;

Error unreadable(const std::filesystem::path& file, const std::string& reason) {
  return {codes::asset_unreadable, file.string(), "the model cannot be read: " + reason + ".",
          "Export it again, as glTF or OBJ say."};
}

/// Opens for Assimp what a model refers to (materials, buffers, other models), within reach.
class ReachIO : public Assimp::DefaultIOSystem {
 public:
  /// Both must outlive it.
  ReachIO(const Reach& reach, std::set<std::string>& refused) : reach_(reach), refused_(refused) {}
  bool Exists(const char* file) const override { return may_read(file) && DefaultIOSystem::Exists(file); }
  Assimp::IOStream* Open(const char* file, const char* mode) override {
    return may_read(file) ? DefaultIOSystem::Open(file, mode) : nullptr;
  }

 private:
  /// What is not there is nobody's business to refuse.
  bool may_read(const char* file) const {
    const Status allowed = reach_.check(file, file);
    std::error_code ec;
    if (!allowed && std::filesystem::is_regular_file(file, ec)) refused_.insert(allowed.error().where);
    return static_cast<bool>(allowed);
  }
  const Reach& reach_;
  std::set<std::string>& refused_;
};

/// The name's ending, small.
std::string ending_of(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

/// `error`, or the file's own fault where its structure shows one.
Error or_fault(Error error, const std::filesystem::path& file) {
  const std::string ending = ending_of(file);
  const std::string fault = ending == ".glb" || ending == ".gltf" ? gltf_fault(file) : "";
  if (fault.empty()) return error;
  return {codes::asset_unreadable, file.string(), "the model cannot be read: " + fault + ".",
          "Export it again, or get the file again."};
}

/// What Assimp says of a file that it could not read.
Error not_read(const std::filesystem::path& file, const Assimp::Importer& importer) {
  const std::string ending = ending_of(file);
  const auto wrong = [&](const std::string& reason, const std::string& remedy) {
    return Error{codes::asset_unreadable, file.string(), "the model cannot be read: " + reason + ".", remedy};
  };
  if (!importer.IsExtensionSupported(ending)) {
    return wrong(ending.empty() ? "its name has no ending that says the format" : ending + " is no format that is read",
                 "Export it as glTF or OBJ, say.");
  }
  std::string why = importer.GetErrorString();
  while (!why.empty() && (why.back() == '.' || why.back() == '\n' || why.back() == ' ')) why.pop_back();
  if (why.starts_with("No suitable reader")) why = "what is in it is not what its name, " + ending + ", says";
  return wrong(why.empty() ? "unknown format" : why, "Export it again, as glTF or OBJ say.");
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

/// A colour from a file in [0, 1]; black where it is no number.
float channel(float x) {
  return std::isfinite(x) ? std::clamp(x, 0.0f, 1.0f) : 0.0f;
}

/// glTF's vertex colours are linear; other formats' are taken as shown on screen.
std::array<float, 3> vertex_colour(const aiMesh& mesh, unsigned i, bool linear) {
  if (!mesh.mColors[0]) return {1, 1, 1};
  const aiColor4D& c = mesh.mColors[0][i];
  std::array<float, 3> colour{c.r, c.g, c.b};
  for (float& x : colour) x = linear ? encode_srgb(channel(x)) : channel(x);
  return colour;
}

/// What of the scene's optional arrays the flattened mesh has, and how colours are stored.
struct Arrays {
  bool uvs = false, colours = false, linear_colours = false;
};

/// Appends vertices and triangles. Error: a reason.
Status append(Mesh& out, const Instance& instance, const Arrays& arrays) {
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
    if (arrays.colours) out.colours.push_back(vertex_colour(mesh, i, arrays.linear_colours));
    if (!arrays.uvs) continue;
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

/// glTF's base colour is linear and multiplies its texture; other formats' diffuse colour is taken as shown on screen
/// and gives way to a texture.
void set_material(MeshPart& part, ModelMaterial& info, const aiMaterial& material, TextureLoader& textures) {
  part.texture = textures.base_colour(material, info.texture);
  aiColor4D colour;
  if (material.Get(AI_MATKEY_BASE_COLOR, colour) == AI_SUCCESS) {
    part.base_color = {encode_srgb(channel(colour.r)), encode_srgb(channel(colour.g)), encode_srgb(channel(colour.b)),
                       std::clamp(colour.a, 0.0f, 1.0f)};
  } else if (part.texture) {
    part.base_color = {1, 1, 1, 1};
  } else if (material.Get(AI_MATKEY_COLOR_DIFFUSE, colour) == AI_SUCCESS) {
    part.base_color = {std::clamp(colour.r, 0.0f, 1.0f), std::clamp(colour.g, 0.0f, 1.0f),
                       std::clamp(colour.b, 0.0f, 1.0f), 1};
  }
  for (float& c : part.base_color) c = std::isfinite(c) ? c : 1.0f;
  info.base_color = part.base_color;
}

ModelInfo describe(const aiScene& scene, size_t instances) {
  ModelInfo info;
  info.meshes = scene.mNumMeshes;
  info.instances = instances;
  std::vector<const aiNode*> open{scene.mRootNode};
  while (!open.empty()) {
    const aiNode* node = open.back();
    open.pop_back();
    ++info.nodes;
    info.transforms += !node->mTransformation.IsIdentity();
    open.insert(open.end(), node->mChildren, node->mChildren + node->mNumChildren);
  }
  if (scene.mMetaData) {
    aiString format;
    if (scene.mMetaData->Get(AI_METADATA_SOURCE_FORMAT, format)) info.format = format.C_Str();
    float centimetres = 0;  // FBX
    if (scene.mMetaData->Get("UnitScaleFactor", centimetres) && centimetres > 0)
      info.unit_in_metres = double{centimetres} / 100;
  }
  for (unsigned i = 0; i < scene.mNumMaterials; ++i)
    info.materials.push_back({.name = scene.mMaterials[i]->GetName().C_Str()});
  return info;
}

bool has_area(const Mesh& mesh, const std::array<uint32_t, 3>& t) {
  const auto &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
  const double u[3] = {double{b[0]} - a[0], double{b[1]} - a[1], double{b[2]} - a[2]};
  const double v[3] = {double{c[0]} - a[0], double{c[1]} - a[1], double{c[2]} - a[2]};
  return u[1] * v[2] != u[2] * v[1] || u[2] * v[0] != u[0] * v[2] || u[0] * v[1] != u[1] * v[0];
}

void measure(Mesh& mesh, ModelInfo& info) {
  mesh.bounds_min = mesh.bounds_max = mesh.positions[mesh.triangles[0][0]];
  for (const auto& triangle : mesh.triangles) {
    info.degenerate += !has_area(mesh, triangle);
    for (const uint32_t vertex : triangle) {
      for (size_t axis = 0; axis < 3; ++axis) {
        mesh.bounds_min[axis] = std::min(mesh.bounds_min[axis], mesh.positions[vertex][axis]);
        mesh.bounds_max[axis] = std::max(mesh.bounds_max[axis], mesh.positions[vertex][axis]);
      }
    }
  }
}

/// A sentence where the bounds are those of a damaged file rather than of a thing; else empty. Squares of what is
/// farther than 1e18 are Inf in f32; positions that lie farther off than 2^16 of their extent have few bits left.
std::string odd_bounds(const Mesh& mesh) {
  float far = 0, extent = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    far = std::max({far, std::abs(mesh.bounds_min[axis]), std::abs(mesh.bounds_max[axis])});
    extent = std::max(extent, mesh.bounds_max[axis] - mesh.bounds_min[axis]);
  }
  char text[160];
  if (far > kFarthest) {
    std::snprintf(text, sizeof text, "The model reaches to %.3g: the file may be damaged, or its unit wrong.",
                  double{far});
    return text;
  }
  if (far <= 0x1p16f * extent) return "";
  std::snprintf(text, sizeof text, "The model is %.3g large and lies at %.3g: its positions have few digits left.",
                double{extent}, double{far});
  return text;
}

void warn(Mesh& mesh, const ModelInfo& info) {
  const auto say = [&](std::string text) { mesh.warnings.push_back(std::move(text)); };
  for (const ModelTexture& t : info.textures) {
    if (t.state == ModelTexture::State::missing || t.state == ModelTexture::State::unreadable)
      say("The texture \"" + t.name + "\" is " + std::string(name(t.state)) + ": " + t.detail);
  }
  const bool textured = std::any_of(mesh.parts.begin(), mesh.parts.end(), [](const MeshPart& p) { return p.texture; });
  if (info.textures.empty() && mesh.colours.empty())
    say("The model names no texture: its surface has only the colours of its materials.");
  std::set<const Image*> seen;
  for (const MeshPart& part : mesh.parts) {
    if (!part.texture || !seen.insert(part.texture.get()).second) continue;
    for (const std::string& warning : part.texture->warnings) say(warning);
  }
  if (mesh.uvs.empty())
    say(textured ? "The model has a texture but no UVs: the texture is not shown." : "The model has no UVs.");
  if (const std::string odd = odd_bounds(mesh); !odd.empty()) say(odd);
  if (info.degenerate > 0) {
    say(std::to_string(info.degenerate) + (info.degenerate == 1 ? " triangle has" : " triangles have") +
        " no area and can neither be seen nor sampled.");
  }
}

Result<Model> convert_scene(const aiScene& scene, const std::filesystem::path& file, const Reach& reach,
                            std::set<std::string>& refused, const std::function<void(uint64_t)>& will_read) {
  HW_TRY(const std::vector<Instance> instances, instances_of(scene, file));
  const auto any = [&](auto has) { return std::any_of(instances.begin(), instances.end(), has); };
  Model model{nullptr, describe(scene, instances.size())};
  const Arrays arrays{any([](const Instance& i) { return i.mesh->mTextureCoords[0] != nullptr; }),
                      any([](const Instance& i) { return i.mesh->mColors[0] != nullptr; }),
                      model.info.format.starts_with("glTF2")};
  auto mesh = std::make_shared<Mesh>();
  mesh->name = file.stem().string();
  TextureLoader textures(scene, file, reach, will_read);
  unsigned material = ~0u;
  for (const Instance& instance : instances) {
    const auto first = static_cast<uint32_t>(mesh->triangles.size());
    const Status appended = append(*mesh, instance, arrays);
    if (!appended) return unreadable(file, appended.error().reason);
    const auto count = static_cast<uint32_t>(mesh->triangles.size()) - first;
    if (count == 0) continue;
    if (mesh->parts.empty() || instance.mesh->mMaterialIndex != material) {
      material = instance.mesh->mMaterialIndex;
      MeshPart part;
      part.first_triangle = first;
      if (material < scene.mNumMaterials)
        set_material(part, model.info.materials[material], *scene.mMaterials[material], textures);
      mesh->parts.push_back(std::move(part));
    }
    mesh->parts.back().triangle_count += count;
  }
  if (mesh->triangles.empty()) {
    return Error{codes::asset_lacks, file.string(), "the model has no triangles.", "Use a model with surfaces."};
  }
  model.info.textures = textures.take();
  for (const ModelTexture& texture : model.info.textures)
    if (texture.state == ModelTexture::State::refused) refused.insert(texture.detail);
  model.info.refused.assign(refused.begin(), refused.end());
  measure(*mesh, model.info);
  if (model.info.degenerate == mesh->triangles.size()) {
    const std::string count = std::to_string(model.info.degenerate);
    return Error{codes::asset_lacks, file.string(),
                 model.info.degenerate == 1 ? "its only triangle has no area."
                                            : "none of its " + count + " triangles has an area.",
                 "Use a model with surfaces; this file may be damaged."};
  }
  warn(*mesh, model.info);
  model.mesh = std::move(mesh);
  return model;
}

}  // namespace

Result<Model> import_model(const std::filesystem::path& file, Reach reach,
                           const std::function<void(uint64_t)>& will_read) {
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return unreadable(file, ec ? ec.message() : "there is no such file");
  if (!std::filesystem::is_regular_file(file, ec)) return unreadable(file, "this is not a file");
  reach.allow(file);
  reach.allow(file.parent_path());
  std::set<std::string> refused;
  try {
    Assimp::Importer importer;
    importer.SetIOHandler(new ReachIO(reach, refused));  // which then owns it
    // Assimp does not find "a/../b" of an absolute path.
    const std::filesystem::path plain = file.lexically_normal();
    const bool same = std::filesystem::equivalent(plain, file, ec);
    const aiScene* scene = importer.ReadFile((same ? plain : file).string(), kSteps);
    if (!scene || !scene->mRootNode) {
      if (std::string_view(importer.GetErrorString()).find("bad_alloc") != std::string_view::npos)
        throw std::bad_alloc();
      if (!refused.empty()) return reach.check(*refused.begin(), *refused.begin()).error();
      return or_fault(not_read(file, importer), file);
    }
    auto model = convert_scene(*scene, file, reach, refused, will_read);
    return model ? std::move(model) : or_fault(model.error(), file);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    return unreadable(file, e.what());
  }
}

}  // namespace hw
