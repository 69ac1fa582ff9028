// Models by Assimp → Mesh: instances of the scene flattened into one vertex array, one part a material.
#include "engine/io/mesh/model_import.h"

#include <assimp/anim.h>
#include <assimp/commonMetaData.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/core/srgb.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/mesh/assimp_log.h"
#include "engine/io/mesh/gltf_fault.h"
#include "engine/io/mesh/gltf_scene.h"
#include "engine/io/mesh/model_check.h"
#include "engine/io/mesh/model_colour.h"
#include "engine/io/mesh/model_files.h"
#include "engine/io/mesh/model_instances.h"
#include "engine/io/mesh/model_texture.h"
#include "engine/io/mesh/model_uv.h"
#include "engine/io/mesh/unread_poses.h"

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
  std::vector<std::string> warnings = {}, notes = {};  // for the mesh
};

/// What a .mtl file says of a material; null: nothing.
const MtlMaterial* mtl_of(const aiMaterial& material, const Source& source) {
  const auto found = source.read.mtl.find(material.GetName().C_Str());
  return found == source.read.mtl.end() ? nullptr : &found->second;
}

bool is_black(const float* rgb) {
  return std::all_of(rgb, rgb + 3, [](float c) { return c < 0.5f / 255; });
}

bool is_white(const std::array<float, 4>& colour) {
  return std::all_of(colour.begin(), colour.begin() + 3, [](float c) { return c == 1; });
}

/// As many exporters write it for a textured material: multiplied by it the texture would not be seen.
bool has_black_kd(const aiMaterial& material, const Source& source) {
  const MtlMaterial* mtl = mtl_of(material, source);
  return mtl && mtl->colour && is_black(mtl->colour->data());
}

/// The colour in the file. glTF's is linear; other formats' is taken as shown on screen. A .mtl's colour multiplies its
/// texture; in other formats a colour gives way to a texture.
std::array<float, 4> colour_of(const aiMaterial& material, bool textured, const Source& source) {
  aiColor4D colour;
  const MtlMaterial* mtl = mtl_of(material, source);
  if (mtl && mtl->colour) {
    const auto& kd = *mtl->colour;
    if (textured && has_black_kd(material, source)) return {1, 1, 1, 1};
    return {channel(kd[0]), channel(kd[1]), channel(kd[2]), 1};
  }
  if (textured || material.Get(AI_MATKEY_COLOR_DIFFUSE, colour) != AI_SUCCESS)
    return textured ? std::array<float, 4>{1, 1, 1, 1} : MeshPart().base_color;
  return {channel(colour.r), channel(colour.g), channel(colour.b), 1};
}

void set_material(MeshPart& part, ModelMaterial& info, const aiMaterial& material, TextureLoader& textures,
                  const Source& source) {
  part.texture = textures.base_colour(material, info.texture);
  aiColor4D colour;
  const bool is_gltf = has_glossiness(material) ? material.Get(AI_MATKEY_COLOR_DIFFUSE, colour) == AI_SUCCESS
                                                : material.Get(AI_MATKEY_BASE_COLOR, colour) == AI_SUCCESS;
  if (!is_gltf) {
    info.base_color = part.base_color = colour_of(material, part.texture != nullptr, source);
    return;
  }
  const std::array<float, 3> factor{channel(colour.r), channel(colour.g), channel(colour.b)};
  const float opacity = std::isfinite(colour.a) ? channel(colour.a) : 1;
  info.base_color = {encode_srgb(factor[0]), encode_srgb(factor[1]), encode_srgb(factor[2]), opacity};
  part.base_color = info.base_color;
  if (!part.texture) return;
  // glTF multiplies in linear light, a mesh what is encoded.
  if (auto tinted = textures.tinted_by(factor, part.texture)) {
    part.texture = std::move(tinted);
    part.base_color = {1, 1, 1, opacity};
  }
}

/// How the base colour texture of a material lies.
TexturePlace place_of(const aiMaterial& material, unsigned index, const Source& source) {
  const auto type = base_colour_type(material);
  if (!type) return {};
  const auto gltf = source.match.textures.find(index);
  const MtlMaterial* mtl = mtl_of(material, source);
  const bool is_gltf = gltf != source.match.textures.end(), is_mtl = mtl && mtl->place;
  TexturePlace place = texture_place(material, *type, is_gltf || is_mtl);
  if (is_gltf) place.uv = gltf->second;
  if (is_mtl) place = *mtl->place;
  return place;
}

Steps lost_steps(const std::vector<Instance>& instances, const SpaceBox& box, const Source& source,
                 const Point& origin) {
  Steps steps;
  const SpaceBox before = box_before_placing(instances);
  if (origin_to_take(before) != Point{}) {
    steps.read = step_at(before.farthest());
  } else if (source.match.local.empty() && origin_to_take(box) != Point{}) {
    steps.read = step_at(box.farthest());
  }
  for (const Instance& instance : instances) steps.kept = std::max(steps.kept, lost_step(box_of({instance}), origin));
  return steps;
}

void warn_once(Mesh& mesh, const std::string& warning) {
  if (std::ranges::find(mesh.warnings, warning) == mesh.warnings.end()) mesh.warnings.push_back(warning);
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
  const bool is_gltf = info.format.starts_with("glTF2");
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
        set_material(part, info.materials[material], *scene.mMaterials[material], textures, source);
      const std::string texture =
          part.texture ? "The texture of the material \"" + info.materials[material].name + "\" " : "";
      if (part.texture && has_black_kd(*scene.mMaterials[material], source))
        warn_once(mesh, texture + "is shown as it is: the material's colour beside it (Kd) is black.");
      else if (part.texture && is_black(info.materials[material].base_color.data()))
        warn_once(mesh, texture + "is multiplied by the material's colour, which is black: it is shown black.");
      if (part.texture && is_gltf && !is_white(part.base_color))
        warn_once(mesh, texture +
                            "is multiplied by the material's colour as it is encoded, not in linear light: so "
                            "many copies of textures take too much memory.");
      for (const std::string& what : here.unread) warn_once(mesh, texture + what + ".");
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

void add(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// What is unread in a format whose file is read by Assimp alone.
UnreadPoses unread_poses(const aiScene& scene) {
  UnreadPoses poses;
  const auto name = [](const aiString& given, const char* kind, unsigned i) { return called(given.C_Str(), kind, i); };
  for (unsigned i = 0; i < scene.mNumMeshes; ++i) {
    const aiMesh& mesh = *scene.mMeshes[i];
    if (mesh.HasBones()) poses.skinned.push_back(name(mesh.mName, "mesh", i));
    const bool is_morphed =
        std::any_of(mesh.mAnimMeshes, mesh.mAnimMeshes + mesh.mNumAnimMeshes, [](const aiAnimMesh* target) {
          // 1: also what Assimp writes where an FBX file says nothing
          return target->mWeight != 0 && target->mWeight != 1;
        });
    if (is_morphed) poses.morphed.push_back(name(mesh.mName, "mesh", i));
  }
  for (unsigned i = 0; i < scene.mNumAnimations; ++i)
    poses.animations.push_back(name(scene.mAnimations[i]->mName, "animation", i));
  return poses;
}

Result<Model> convert_scene(const aiScene& scene, Source& source) {
  const std::filesystem::path& file = source.file;
  HW_TRY(const std::vector<Instance> instances, instances_of(scene, source.match.local, file));
  Model model{nullptr, describe(scene, instances.size())};
  auto mesh = std::make_shared<Mesh>();
  mesh->name = file.stem().string();
  const SpaceBox box = box_of(instances);
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
  add(mesh->warnings, source.warnings);
  add(mesh->notes, source.notes);
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
    if (source.gltf.instead) instead[plain] = *std::exchange(source.gltf.instead, std::nullopt);
    if (auto near = bring_near(file)) {
      source.origin = near->origin;
      instead[plain] = std::move(near->bytes);
    }
    const AssimpLog log;
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
    const UnreadExtensions& unread = source.gltf.unread;
    const bool knows_poses = !source.gltf.nodes.empty();
    source.warnings = knows_poses ? unread.warnings : sentences(unread_poses(*scene));
    source.notes = unread.notes;
    add(source.warnings, log.errors(*scene));
    add(source.notes, log.warnings());
    auto model = convert_scene(*scene, source);
    return model ? std::move(model) : or_fault(model.error(), file);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    return unreadable_model(file, e.what());
  }
}

}  // namespace hw
