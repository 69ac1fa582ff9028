// Mesh → .glb or .obj by Assimp: one mesh and one material a part, textures embedded or written beside.
#include "engine/io/mesh/mesh_export.h"

#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/scene.h>

#include <assimp/Exporter.hpp>
#include <cstring>
#include <fstream>
#include <map>
#include <new>
#include <vector>

#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/core/srgb.h"
#include "engine/io/file/atomic_file.h"
#include "engine/io/media/image_bytes.h"
#include "engine/io/mesh/far_positions.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

Error unwritable(const fs::path& file, const std::string& reason, const std::string& remedy) {
  return {codes::file_unwritable, file.string(), reason, remedy};
}

bool is_glb(const fs::path& file) {
  return file.extension() == ".glb";
}

/// Each picture once, in the order of the parts.
struct Textures {
  std::map<const Image*, size_t> index;
  std::vector<std::string> names;  // as materials name them: "*0" for an embedded one, else a file beside
};

Textures textures_of(const Mesh& mesh, const fs::path& file) {
  Textures out;
  for (const MeshPart& part : mesh.parts) {
    if (part.texture && !mesh.uvs.empty()) out.index.emplace(part.texture.get(), out.index.size());
  }
  for (size_t i = 0; i < out.index.size(); ++i) {
    const std::string number = out.index.size() == 1 ? "" : "_" + std::to_string(i + 1);
    out.names.push_back(is_glb(file) ? "*" + std::to_string(i) : file.stem().string() + number + ".png");
  }
  return out;
}

Result<std::vector<std::string>> encode(const Textures& textures, const fs::path& file) {
  std::vector<std::string> pngs(textures.index.size());
  for (const auto& [image, i] : textures.index) {
    HW_TRY(pngs[i], encode_png(*image, file.string()));
  }
  return pngs;
}

/// The first line of a .mtl that was written here: all its textures, so that a later export knows what it may replace.
constexpr std::string_view kMark = "# Written by Halfwire with";

std::string mark(const Textures& textures) {
  std::string line(kMark);
  for (const std::string& name : textures.names) line += " \"" + name + "\"";
  return line + "\n";
}

/// Error HW-F002 when a file beside an .obj is there and no earlier export to the same name wrote it.
Status check_neighbours(const Textures& textures, const fs::path& file) {
  const fs::path mtl = fs::path(file).replace_extension(".mtl");
  std::ifstream in(mtl);
  std::string marked;
  std::getline(in, marked);
  const bool ours = marked.starts_with(kMark);
  const auto check = [&](const fs::path& neighbour, bool may_go) -> Status {
    std::error_code ec;
    if (may_go || !fs::exists(fs::symlink_status(neighbour, ec))) return ok();
    return unwritable(neighbour, "it belongs beside " + file.filename().string() + ", but another file has its name.",
                      "Choose another name for the model, or move that file away.");
  };
  HW_CHECK(check(mtl, ours));
  for (const std::string& name : textures.names)
    HW_CHECK(check(file.parent_path() / name, ours && marked.find("\"" + name + "\"") != std::string::npos));
  return ok();
}

/// The vertices that a part uses, in the order in which its triangles name them.
std::unique_ptr<aiMesh> make_part(const Mesh& mesh, const MeshPart& part, unsigned material) {
  std::map<uint32_t, unsigned> local;
  std::vector<uint32_t> used;
  auto out = std::make_unique<aiMesh>();
  out->mName.Set(mesh.name);
  out->mPrimitiveTypes = aiPrimitiveType_TRIANGLE;
  out->mMaterialIndex = material;
  out->mFaces = new aiFace[part.triangle_count];
  out->mNumFaces = part.triangle_count;
  for (uint32_t t = 0; t < part.triangle_count; ++t) {
    aiFace& face = out->mFaces[t];
    face.mIndices = new unsigned[3];
    face.mNumIndices = 3;
    for (unsigned k = 0; k < 3; ++k) {
      const uint32_t vertex = mesh.triangles[part.first_triangle + t][k];
      const auto [found, added] = local.emplace(vertex, static_cast<unsigned>(used.size()));
      if (added) used.push_back(vertex);
      face.mIndices[k] = found->second;
    }
  }
  out->mVertices = new aiVector3D[used.size()];
  out->mNumVertices = static_cast<unsigned>(used.size());
  out->mNormals = new aiVector3D[used.size()];
  if (!mesh.uvs.empty()) {
    out->mTextureCoords[0] = new aiVector3D[used.size()];
    out->mNumUVComponents[0] = 2;
  }
  for (size_t i = 0; i < used.size(); ++i) {
    const auto &p = mesh.positions[used[i]], &n = mesh.normals[used[i]];
    out->mVertices[i] = {p[0], p[1], p[2]};
    out->mNormals[i] = {n[0], n[1], n[2]};
    if (!mesh.uvs.empty()) out->mTextureCoords[0][i] = {mesh.uvs[used[i]][0], mesh.uvs[used[i]][1], 0};
  }
  return out;
}

int map_mode(Wrap wrap) {
  return wrap == Wrap::clamp    ? aiTextureMapMode_Clamp
         : wrap == Wrap::mirror ? aiTextureMapMode_Mirror
                                : aiTextureMapMode_Wrap;
}

/// `texture`: a name, "*0" for an embedded one, "" for none. glTF's factor is linear; OBJ's is as on the screen.
std::unique_ptr<aiMaterial> make_material(const MeshPart& part, const std::string& name, const std::string& texture,
                                          bool linear) {
  auto out = std::make_unique<aiMaterial>();
  const aiString label(name);
  out->AddProperty(&label, AI_MATKEY_NAME);
  const auto factor = [&](size_t i) { return linear ? decode_srgb(part.base_color[i]) : part.base_color[i]; };
  const aiColor4D color(factor(0), factor(1), factor(2), part.base_color[3]);
  if (linear) {
    const float metallic = 0, roughness = 1;
    out->AddProperty(&color, 1, AI_MATKEY_BASE_COLOR);
    out->AddProperty(&metallic, 1, AI_MATKEY_METALLIC_FACTOR);
    out->AddProperty(&roughness, 1, AI_MATKEY_ROUGHNESS_FACTOR);
  } else {
    const aiColor3D diffuse(color.r, color.g, color.b);
    out->AddProperty(&diffuse, 1, AI_MATKEY_COLOR_DIFFUSE);
  }
  if (texture.empty()) return out;
  const aiString path(texture);
  const aiTextureType type = linear ? aiTextureType_BASE_COLOR : aiTextureType_DIFFUSE;
  out->AddProperty(&path, AI_MATKEY_TEXTURE(type, 0));
  const int wrap_u = map_mode(part.wrap_u), wrap_v = map_mode(part.wrap_v);
  out->AddProperty(&wrap_u, 1, AI_MATKEY_MAPPINGMODE_U(type, 0));
  out->AddProperty(&wrap_v, 1, AI_MATKEY_MAPPINGMODE_V(type, 0));
  return out;
}

void embed(aiScene& scene, const std::vector<std::string>& pngs) {
  scene.mTextures = new aiTexture*[pngs.size()]();
  scene.mNumTextures = static_cast<unsigned>(pngs.size());
  for (size_t i = 0; i < pngs.size(); ++i) {
    auto* texture = scene.mTextures[i] = new aiTexture;
    texture->mWidth = static_cast<unsigned>(pngs[i].size());  // a height of 0: bytes of a file
    texture->pcData = new aiTexel[(pngs[i].size() + sizeof(aiTexel) - 1) / sizeof(aiTexel)];
    std::memcpy(texture->pcData, pngs[i].data(), pngs[i].size());
    std::strcpy(texture->achFormatHint, "png");
  }
}

std::unique_ptr<aiScene> make_scene(const Mesh& mesh, const Textures& textures, const std::vector<std::string>& pngs,
                                    bool glb) {
  auto scene = std::make_unique<aiScene>();
  const auto count = static_cast<unsigned>(mesh.parts.size());
  // It owns what is in it so far, should memory be lacking for the rest.
  scene->mMeshes = new aiMesh*[count]();
  scene->mNumMeshes = count;
  scene->mMaterials = new aiMaterial*[count]();
  scene->mNumMaterials = count;
  scene->mRootNode = new aiNode(mesh.name);
  scene->mRootNode->mMeshes = new unsigned[count];
  scene->mRootNode->mNumMeshes = count;
  for (unsigned i = 0; i < count; ++i) {
    const MeshPart& part = mesh.parts[i];
    const auto found = textures.index.find(part.texture.get());
    const std::string texture = found == textures.index.end() ? "" : textures.names[found->second];
    const std::string name = count == 1 ? mesh.name : mesh.name + "_" + std::to_string(i + 1);
    scene->mMeshes[i] = make_part(mesh, part, i).release();
    scene->mMaterials[i] = make_material(part, name, texture, glb).release();
    scene->mRootNode->mMeshes[i] = i;
  }
  if (glb) {  // an .obj has no nodes: its positions are moved
    aiMatrix4x4& to = scene->mRootNode->mTransformation;
    to.a4 = static_cast<float>(mesh.origin[0]);
    to.b4 = static_cast<float>(mesh.origin[1]);
    to.c4 = static_cast<float>(mesh.origin[2]);
  }
  if (glb) embed(*scene, pngs);
  return scene;
}

constexpr const char* kOtherKind = "Export it as the other kind, .glb or .obj.";

std::string_view bytes_of(const aiExportDataBlob& blob) {
  return {static_cast<const char*>(blob.data), blob.size};
}

}  // namespace

Status check_mesh_name(const fs::path& file) {
  if (is_glb(file) || file.extension() == ".obj") return ok();
  return unwritable(file, "meshes are written as .glb or .obj.", "Choose a name that ends in one of these.");
}

std::vector<fs::path> mesh_files(const Mesh& mesh, const fs::path& file) {
  std::vector<fs::path> files{file};
  if (is_glb(file)) return files;
  files.push_back(fs::path(file).replace_extension(".mtl"));
  for (const std::string& name : textures_of(mesh, file).names) files.push_back(file.parent_path() / name);
  return files;
}

Status save_mesh(const Mesh& mesh, const fs::path& file) {
  HW_CHECK(check_mesh_name(file));
  const bool glb = is_glb(file);
  const Textures textures = textures_of(mesh, file);
  if (!glb) HW_CHECK(check_neighbours(textures, file));
  HW_TRY(const std::vector<std::string> pngs, encode(textures, file));
  try {
    const std::unique_ptr<aiScene> scene = make_scene(mesh, textures, pngs, glb);
    Assimp::Exporter exporter;
    Assimp::ExportProperties properties;
    properties.SetPropertyString(AI_CONFIG_EXPORT_BLOB_NAME, file.stem().string());
    const aiExportDataBlob* blob = exporter.ExportToBlob(scene.get(), glb ? "glb2" : "obj", 0u, &properties);
    if (!blob)
      return unwritable(file, std::string("the model cannot be written: ") + exporter.GetErrorString() + ".",
                        kOtherKind);
    // The .mtl comes first: should the rest fail, the next export still knows its own.
    for (const aiExportDataBlob* beside = blob->next; beside; beside = beside->next) {
      const std::string text = mark(textures).append(bytes_of(*beside));
      HW_CHECK(write_file_atomically(file.parent_path() / beside->name.C_Str(), text));
    }
    for (size_t i = 0; i < pngs.size() && !glb; ++i)
      HW_CHECK(write_file_atomically(file.parent_path() / textures.names[i], pngs[i]));
    if (!glb && mesh.origin != std::array<double, 3>{})
      return write_file_atomically(file, put_back(bytes_of(*blob), mesh.origin));
    return write_file_atomically(file, bytes_of(*blob));
  } catch (const std::bad_alloc&) {
    return error_of_exception();
  } catch (const std::exception& e) {
    return unwritable(file, std::string("the model cannot be written: ") + e.what() + ".", kOtherKind);
  }
}

}  // namespace hw
