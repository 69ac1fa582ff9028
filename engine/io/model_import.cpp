// Models by Assimp → Mesh: instances of the scene flattened into one vertex array, one part a material.
#include "engine/io/model_import.h"

#include <assimp/commonMetaData.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/core/srgb.h"
#include "engine/io/file_bytes.h"
#include "engine/io/gltf_fault.h"
#include "engine/io/gltf_scene.h"
#include "engine/io/model_check.h"
#include "engine/io/model_files.h"
#include "engine/io/model_instances.h"
#include "engine/io/model_texture.h"
#include "engine/io/model_uv.h"

namespace hw {
namespace {

constexpr unsigned kSteps =
    aiProcess_Triangulate | aiProcess_JoinIdenticalVertices | aiProcess_GenSmoothNormals | aiProcess_SortByPType;

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

/// A colour from a file in [0, 1]; black where it is no number.
float channel(float x) {
  return std::isfinite(x) ? std::clamp(x, 0.0f, 1.0f) : 0.0f;
}

/// glTF's base colour is linear and multiplies its texture; other formats' diffuse colour is taken as shown on screen
/// and gives way to a texture.
void set_material(MeshPart& part, ModelMaterial& info, const aiMaterial& material, TextureLoader& textures) {
  part.texture = textures.base_colour(material, info.texture);
  aiColor4D colour;
  const bool is_gltf = has_glossiness(material) ? material.Get(AI_MATKEY_COLOR_DIFFUSE, colour) == AI_SUCCESS
                                                : material.Get(AI_MATKEY_BASE_COLOR, colour) == AI_SUCCESS;
  if (is_gltf) {
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

/// What is known of a file beside what Assimp made of it.
struct Source {
  const std::filesystem::path& file;
  const Reach& reach;
  const std::function<void(uint64_t)>& will_read;
  GltfScene gltf = {};
  Point origin{};       // taken off the positions before Assimp read them
  ReadFiles read = {};  // by Assimp
  GltfMatch match = {};
};

/// How the base colour texture of a material lies.
TexturePlace place_of(const aiMaterial& material, unsigned index, const Source& source) {
  const auto type = base_colour_type(material);
  if (!type) return {};
  const auto gltf = source.match.textures.find(index);
  const auto mtl = source.read.mtl.find(material.GetName().C_Str());
  const bool is_gltf = gltf != source.match.textures.end(), is_mtl = mtl != source.read.mtl.end();
  TexturePlace place = texture_place(material, *type, is_gltf || is_mtl);
  if (is_gltf) place.uv = gltf->second;
  if (is_mtl) place = mtl->second;
  return place;
}

double step_at(double position) {
  const auto far = static_cast<float>(position);
  return double{std::nextafter(far, INFINITY)} - far;
}

Steps lost_steps(const std::vector<Instance>& instances, const Box& box, const Source& source, const Point& origin) {
  constexpr double kShows = 1.0 / 256;  // of a part's size
  Steps steps;
  const Box before = box_before_placing(instances);
  if (origin_to_take(before) != Point{}) {
    steps.read = step_at(before.farthest());
  } else if (source.match.local.empty() && origin_to_take(box) != Point{}) {
    steps.read = step_at(box.farthest());
  }
  for (const Instance& instance : instances) {
    Box part = box_of({instance});
    const double extent = part.extent();
    for (size_t axis = 0; axis < 3; ++axis) {
      part.low[axis] -= origin[axis];
      part.high[axis] -= origin[axis];
    }
    const double step = extent > 0 ? step_at(part.farthest()) : 0;
    if (step > kShows * extent) steps.kept = std::max(steps.kept, step);
  }
  return steps;
}

/// Triangles of all instances, a part a material.
Status add_parts(Mesh& mesh, const std::vector<Instance>& instances, const aiScene& scene, const Source& source,
                 TextureLoader& textures, ModelInfo& info) {
  std::vector<TexturePlace> places;
  for (unsigned i = 0; i < scene.mNumMaterials; ++i) places.push_back(place_of(*scene.mMaterials[i], i, source));
  const auto place = [&](const aiMesh& m) {
    return m.mMaterialIndex < places.size() ? places[m.mMaterialIndex] : TexturePlace();
  };
  const auto any = [&](auto has) { return std::any_of(instances.begin(), instances.end(), has); };
  const Arrays arrays{any([&](const Instance& i) { return i.mesh->HasTextureCoords(place(*i.mesh).uv.set); }),
                      any([](const Instance& i) { return i.mesh->mColors[0] != nullptr; }),
                      info.format.starts_with("glTF2")};
  unsigned material = ~0u;
  bool lacks = false;
  for (const Instance& instance : instances) {
    const TexturePlace here = place(*instance.mesh);
    const auto first = static_cast<uint32_t>(mesh.triangles.size());
    HW_CHECK(append(mesh, instance, here.uv, arrays));
    const auto count = static_cast<uint32_t>(mesh.triangles.size()) - first;
    if (count == 0) continue;
    if (mesh.parts.empty() || instance.mesh->mMaterialIndex != material) {
      material = instance.mesh->mMaterialIndex;
      MeshPart part;
      part.first_triangle = first;
      part.wrap_u = here.wrap_u;
      part.wrap_v = here.wrap_v;
      if (material < scene.mNumMaterials)
        set_material(part, info.materials[material], *scene.mMaterials[material], textures);
      for (const std::string& what : here.unread)
        mesh.warnings.push_back("The texture of the material \"" + info.materials[material].name + "\" " + what + ".");
      mesh.parts.push_back(std::move(part));
      lacks = false;
    }
    mesh.parts.back().triangle_count += count;
    if (lacks || !arrays.uvs || !mesh.parts.back().texture || instance.mesh->HasTextureCoords(here.uv.set)) continue;
    mesh.warnings.push_back("The texture of the material \"" + info.materials[material].name +
                            "\" is looked up by UV set " + std::to_string(here.uv.set) + ", which the mesh \"" +
                            instance.mesh->mName.C_Str() + "\" lacks: it has one colour there.");
    lacks = true;
  }
  return ok();
}

Result<Model> convert_scene(const aiScene& scene, Source& source) {
  const std::filesystem::path& file = source.file;
  HW_TRY(const std::vector<Instance> instances, instances_of(scene, source.match.local, file));
  Model model{nullptr, describe(scene, instances.size())};
  auto mesh = std::make_shared<Mesh>();
  mesh->name = file.stem().string();
  const Box box = box_of(instances);
  const Point taken = mesh->origin = origin_to_take(box);
  TextureLoader textures(scene, file, source.reach, source.will_read);
  const Status added = add_parts(*mesh, instances, scene, source, textures, model.info);
  if (!added) return unreadable_model(file, added.error().reason);
  if (mesh->triangles.empty())
    return Error{codes::asset_lacks, file.string(), "the model has no triangles.", "Use a model with surfaces."};
  for (size_t axis = 0; axis < 3; ++axis) mesh->origin[axis] += source.origin[axis];
  model.info.textures = textures.take();
  for (const ModelTexture& texture : model.info.textures)
    if (texture.state == ModelTexture::State::refused) source.read.refused.insert(texture.detail);
  model.info.refused.assign(source.read.refused.begin(), source.read.refused.end());
  measure(*mesh, model.info);
  if (model.info.degenerate == mesh->triangles.size()) {
    const std::string count = std::to_string(model.info.degenerate);
    return Error{codes::asset_lacks, file.string(),
                 model.info.degenerate == 1 ? "its only triangle has no area."
                                            : "none of its " + count + " triangles has an area.",
                 "Use a model with surfaces; this file may be damaged."};
  }
  const UnreadExtensions& unread = source.gltf.unread;
  mesh->warnings.insert(mesh->warnings.end(), unread.warnings.begin(), unread.warnings.end());
  mesh->notes.insert(mesh->notes.end(), unread.notes.begin(), unread.notes.end());
  say_what_is_odd(*mesh, model.info, lost_steps(instances, box, source, taken));
  model.mesh = std::move(mesh);
  return model;
}

}  // namespace

Result<Model> import_model(const std::filesystem::path& file, Reach reach,
                           const std::function<void(uint64_t)>& will_read) {
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return unreadable_model(file, ec ? ec.message() : "there is no such file");
  if (!std::filesystem::is_regular_file(file, ec)) return unreadable_model(file, "this is not a file");
  reach.allow(file);
  reach.allow(file.parent_path());
  Source source{file, reach, will_read};
  try {
    // Assimp does not find "a/../b" of an absolute path.
    const std::filesystem::path normal = file.lexically_normal();
    const std::string plain = (std::filesystem::equivalent(normal, file, ec) ? normal : file).string();
    const std::string ending = ending_of(file);
    if (ending == ".glb" || ending == ".gltf") {
      HW_TRY(source.gltf, read_gltf_scene(file, reach));
    }
    std::map<std::string, std::string> instead;
    if (auto near = bring_near(file)) {
      source.origin = near->origin;
      instead[plain] = std::move(near->bytes);
    }
    Assimp::Importer importer;
    importer.SetIOHandler(new ModelFiles(reach, std::move(instead), source.read));  // which then owns it
    const aiScene* scene = importer.ReadFile(plain, aiProcess_ValidateDataStructure);
    if (scene && scene->mRootNode) {
      auto matched = match(source.gltf, const_cast<aiScene&>(*scene));  // as a post-processing step may
      if (!matched)
        return unreadable_model(file, "its vertices are stored as whole numbers, and not found again in the scene");
      source.match = std::move(*matched);
      source.gltf.meshes.clear();
      scene = importer.ApplyPostProcessing(kSteps);
    }
    if (!scene || !scene->mRootNode) {
      if (std::string_view(importer.GetErrorString()).find("bad_alloc") != std::string_view::npos)
        throw std::bad_alloc();
      if (!source.read.refused.empty()) {
        const std::string& first = *source.read.refused.begin();
        return reach.check(first, first).error();
      }
      if (source.gltf.unread.tried) return *source.gltf.unread.tried;
      return or_fault(not_read(file, importer), file);
    }
    auto model = convert_scene(*scene, source);
    return model ? std::move(model) : or_fault(model.error(), file);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    return unreadable_model(file, e.what());
  }
}

}  // namespace hw
