// Source: Khronos, glTF 2.0 (3.5 nodes, 5.25 node, 5.30 textureInfo) and KHR_texture_transform.
#include "engine/io/mesh/gltf_scene.h"

#include <assimp/scene.h>

#include <cmath>

#include "engine/core/codes.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/mesh/gltf_accessor.h"
#include "engine/io/mesh/gltf_faces.h"
#include "engine/io/mesh/gltf_fault.h"
#include "engine/io/mesh/gltf_json.h"
#include "engine/io/mesh/gltf_numbers.h"
#include "engine/io/mesh/gltf_pose.h"

namespace hw {
namespace {

using nlohmann::json;

using gltf::index;
using gltf::list;
using gltf::member;

/// As many as there must be, or none: check_gltf_numbers has looked at it.
std::vector<double> numbers(const json& object, const char* name) {
  return list(object, name).get<std::vector<double>>();
}

Affine local_of(const json& node) {
  Affine out;
  if (const auto m = numbers(node, "matrix"); !m.empty()) {  // columns one after another
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 4; ++j) out.rows[i][j] = m[4 * j + i];
    return out;
  }
  if (const auto q = numbers(node, "rotation"); !q.empty()) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    out.rows[0] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 0};
    out.rows[1] = {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 0};
    out.rows[2] = {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), 0};
  }
  if (const auto s = numbers(node, "scale"); !s.empty()) {
    for (auto& row : out.rows)
      for (size_t j = 0; j < 3; ++j) row[j] *= s[j];
  }
  if (const auto t = numbers(node, "translation"); !t.empty()) {
    for (size_t i = 0; i < 3; ++i) out.rows[i][3] = t[i];
  }
  return out;
}

/// The texture that is shown as the surface's colour.
const json& base_texture(const json& material) {
  const json& gloss = member(member(material, "extensions"), "KHR_materials_pbrSpecularGlossiness");
  if (gloss.is_object()) return member(gloss, "diffuseTexture");
  return member(member(material, "pbrMetallicRoughness"), "baseColorTexture");
}

/// The extension counts v down and gives T · R · S with R(r) = (cos r, sin r; −sin r, cos r); here v is up.
UvMap uv_map_of(const json& texture) {
  UvMap out;
  out.set = static_cast<unsigned>(index(member(texture, "texCoord")).value_or(0));
  const json& transform = member(member(texture, "extensions"), "KHR_texture_transform");
  if (!transform.is_object()) return out;
  if (const auto set = index(member(transform, "texCoord"))) out.set = static_cast<unsigned>(*set);
  auto offset = numbers(transform, "offset"), scale = numbers(transform, "scale");
  if (offset.empty()) offset = {0, 0};
  if (scale.empty()) scale = {1, 1};
  const json& rotation = member(transform, "rotation");
  const double r = rotation.is_number() ? rotation.get<double>() : 0;
  const double a = std::cos(r) * scale[0], b = std::sin(r) * scale[1];
  const double c = -std::sin(r) * scale[0], d = std::cos(r) * scale[1];
  out.map = {a, -b, b + offset[0], -c, d, 1 - d - offset[1]};
  return out;
}

/// The attributes of a primitive that are whole numbers. Error: a reason.
Result<std::vector<GltfAttribute>> attributes_of(const json& gltf, const json& primitive, GltfBuffers& buffers) {
  std::vector<GltfAttribute> out;
  const json& all = member(primitive, "attributes");
  const auto take = [&](const std::string& name, unsigned components, GltfAttribute::Of of, unsigned set) -> Status {
    const auto accessor = index(member(all, name.c_str()));
    if (!accessor || !is_whole(gltf, *accessor)) return ok();
    auto values = whole_numbers(gltf, *accessor, components, buffers);
    if (!values) return Error{"", "", "the whole numbers of its " + name + " cannot be read", ""};
    out.push_back({of, set, std::move(*values)});
    return ok();
  };
  if (!member(member(primitive, "extensions"), "KHR_draco_mesh_compression").is_null()) return out;
  HW_CHECK(take("POSITION", 3, GltfAttribute::Of::position, 0));
  HW_CHECK(take("NORMAL", 3, GltfAttribute::Of::normal, 0));
  for (unsigned set = 0; set < AI_MAX_NUMBER_OF_TEXTURECOORDS; ++set)
    HW_CHECK(take("TEXCOORD_" + std::to_string(set), 2, GltfAttribute::Of::uv, set));
  return out;
}

/// Puts what `primitive` has into Assimp's mesh of it. False: they are not of one size.
bool put(const GltfPrimitive& primitive, aiMesh& mesh) {
  for (const GltfAttribute& a : primitive.attributes) {
    const size_t components = a.of == GltfAttribute::Of::uv ? 2 : 3;
    aiVector3D* to = a.of == GltfAttribute::Of::position ? mesh.mVertices
                     : a.of == GltfAttribute::Of::normal ? mesh.mNormals
                                                         : mesh.mTextureCoords[a.set];
    if (!to || a.values.size() != components * mesh.mNumVertices) return false;
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
      const float* v = a.values.data() + components * i;
      to[i] = components == 3 ? aiVector3D(v[0], v[1], v[2]) : aiVector3D(v[0], 1 - v[1], 0);  // Assimp's v is up
    }
  }
  return true;
}

/// What both trees agree on below one node; false where they do not.
bool match_node(const GltfScene& gltf, size_t which, aiScene& scene, const aiNode& node, GltfMatch& out) {
  std::vector<std::pair<size_t, const aiNode*>> open{{which, &node}};
  while (!open.empty()) {
    const auto [i, there] = open.back();
    open.pop_back();
    if (i >= gltf.nodes.size()) return false;
    const GltfNode& here = gltf.nodes[i];
    if (here.children.size() != there->mNumChildren) return false;
    out.local[there] = here.local;
    if (here.mesh >= 0) {
      const auto mesh = static_cast<size_t>(here.mesh);
      if (mesh >= gltf.meshes.size() || gltf.meshes[mesh].size() != there->mNumMeshes) return false;
      for (unsigned k = 0; k < there->mNumMeshes; ++k) {
        if (!put(gltf.meshes[mesh][k], *scene.mMeshes[there->mMeshes[k]])) return false;
        const int64_t material = gltf.meshes[mesh][k].material;
        if (material < 0 || static_cast<size_t>(material) >= gltf.textures.size()) continue;
        out.textures[scene.mMeshes[there->mMeshes[k]]->mMaterialIndex] = gltf.textures[static_cast<size_t>(material)];
      }
    }
    for (unsigned k = 0; k < there->mNumChildren; ++k) open.emplace_back(here.children[k], there->mChildren[k]);
  }
  return true;
}

}  // namespace

Result<GltfScene> read_gltf_scene(const std::filesystem::path& file, const Reach& reach) {
  GltfScene out;
  const auto bytes = read_file_bytes(file, kGltfMaxBytes);
  if (!bytes) return out;
  const GltfChunks chunks = gltf_chunks(*bytes, bytes->starts_with("glTF"));
  if (!chunks.fault.empty()) return out;
  const json gltf = json::parse(chunks.text, nullptr, false);
  const json& version = member(member(gltf, "asset"), "version");
  if (!version.is_string() || !version.get<std::string>().starts_with("2.")) return out;
  HW_TRY(out.unread, check_gltf_extensions(gltf, file));
  const auto wrong = [&](const std::string& reason, const char* remedy) {
    return Error{codes::asset_unreadable, file.string(), "the model cannot be read: " + reason + ".", remedy};
  };
  if (const Status sound = check_gltf_numbers(gltf); !sound)
    return wrong(sound.error().reason, "Export it again; the file may be damaged.");
  const size_t scene = index(member(gltf, "scene")).value_or(0);
  const json& scenes = list(gltf, "scenes");
  if (scene < scenes.size()) {
    for (const json& root : list(scenes[scene], "nodes")) out.roots.push_back(index(root).value_or(SIZE_MAX));
  }
  for (const json& node : list(gltf, "nodes")) {
    GltfNode& made = out.nodes.emplace_back();
    for (const json& child : list(node, "children")) made.children.push_back(index(child).value_or(SIZE_MAX));
    if (const auto mesh = index(member(node, "mesh"))) made.mesh = static_cast<int64_t>(*mesh);
    made.local = local_of(node);
  }
  GltfBuffers buffers(gltf, file, chunks.binary, reach);
  for (const json& mesh : list(gltf, "meshes")) {
    auto& primitives = out.meshes.emplace_back();
    for (const json& primitive : list(mesh, "primitives")) {
      const auto material = index(member(primitive, "material"));
      auto attributes = attributes_of(gltf, primitive, buffers);
      if (!attributes) return wrong(attributes.error().reason, "Export it with positions, normals and UVs as floats.");
      out.has_whole_numbers = out.has_whole_numbers || !attributes->empty();
      primitives.push_back({material ? static_cast<int64_t>(*material) : -1, std::move(*attributes)});
    }
  }
  const auto faces = lost_faces(gltf, buffers);
  if (!faces) return wrong(faces.error().reason, "Export it again; the file may be damaged.");
  for (const std::vector<std::string>& more : {*faces, sentences(unread_poses(gltf))})
    out.unread.warnings.insert(out.unread.warnings.end(), more.begin(), more.end());
  out.instead = without_skins(*bytes, chunks.text, gltf);
  for (const json& material : list(gltf, "materials")) out.textures.push_back(uv_map_of(base_texture(material)));
  return out;
}

std::optional<GltfMatch> match(const GltfScene& gltf, aiScene& scene) {
  GltfMatch out;
  const aiNode& root = *scene.mRootNode;
  bool same = true;
  if (gltf.roots.size() == 1) {
    same = match_node(gltf, gltf.roots[0], scene, root, out);
  } else {  // Assimp puts a node of its own above them
    same = gltf.roots.size() == root.mNumChildren;
    for (unsigned k = 0; same && k < root.mNumChildren; ++k)
      same = match_node(gltf, gltf.roots[k], scene, *root.mChildren[k], out);
  }
  if (!same && gltf.has_whole_numbers) return std::nullopt;
  return same ? out : GltfMatch();
}

}  // namespace hw
