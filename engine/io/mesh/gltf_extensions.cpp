// Source: Khronos, glTF 2.0, 3.12 "Specifying Extensions", and the registry of extensions.
#include "engine/io/mesh/gltf_extensions.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/core/codes.h"

namespace hw {
namespace {

enum class Reading : uint8_t {
  read,   // what it says is in the mesh
  tried,  // the same in some builds of Assimp
  aside,  // it says nothing of shape and base colour
  none,   // without it shape or colours are wrong
};
struct Extension {
  std::string_view name;
  Reading reading;
  const char *what, *remedy;
};

constexpr const char* kNoCompression = "Export it without mesh compression.";
constexpr const char* kPlainPictures = "Export its textures as PNG or JPEG.";
constexpr const char* kMaterial = "a property of materials beside the base colour";
constexpr const char* kLight = "lights";
constexpr const char* kData = "data beside the surface";
constexpr const char* kMotion = "animation";

constexpr std::array kExtensions{
    Extension{"KHR_draco_mesh_compression", Reading::tried, "compressed meshes", kNoCompression},
    Extension{"KHR_materials_pbrSpecularGlossiness", Reading::read, "", ""},
    Extension{"KHR_materials_unlit", Reading::read, "", ""},
    Extension{"KHR_mesh_quantization", Reading::read, "", ""},
    Extension{"KHR_texture_transform", Reading::read, "", ""},

    Extension{"EXT_mesh_gpu_instancing", Reading::none, "copies of a mesh", "Export it with a node for each copy."},
    Extension{"EXT_meshopt_compression", Reading::none, "compressed meshes", kNoCompression},
    Extension{"KHR_meshopt_compression", Reading::none, "compressed meshes", kNoCompression},
    Extension{"EXT_texture_avif", Reading::none, "textures as AVIF", kPlainPictures},
    Extension{"EXT_texture_webp", Reading::none, "textures as WebP", kPlainPictures},
    Extension{"KHR_texture_basisu", Reading::none, "textures as KTX2", kPlainPictures},
    Extension{"MSFT_texture_dds", Reading::none, "textures as DDS", kPlainPictures},
    Extension{"KHR_node_visibility", Reading::none, "hidden nodes", "Export without the nodes that are hidden."},

    Extension{"EXT_lights_ies", Reading::aside, kLight, ""},
    Extension{"EXT_lights_image_based", Reading::aside, kLight, ""},
    Extension{"KHR_lights_punctual", Reading::aside, kLight, ""},
    Extension{"KHR_materials_anisotropy", Reading::aside, kMaterial, ""},
    Extension{"KHR_materials_clearcoat", Reading::aside, kMaterial, ""},
    Extension{"KHR_materials_diffuse_transmission", Reading::aside, kMaterial, ""},
    Extension{"KHR_materials_dispersion", Reading::aside, kMaterial, ""},
    Extension{"KHR_materials_emissive_strength", Reading::aside, kMaterial, ""},
    Extension{"KHR_materials_ior", Reading::aside, kMaterial, ""},
    Extension{"KHR_materials_iridescence", Reading::aside, kMaterial, ""},
    Extension{"KHR_materials_sheen", Reading::aside, kMaterial, ""},
    Extension{"KHR_materials_specular", Reading::aside, kMaterial, ""},
    Extension{"KHR_materials_transmission", Reading::aside, kMaterial, ""},
    Extension{"KHR_materials_variants", Reading::aside, "other materials to choose from", ""},
    Extension{"KHR_materials_volume", Reading::aside, kMaterial, ""},
    Extension{"KHR_animation_pointer", Reading::aside, kMotion, ""},
    Extension{"KHR_xmp", Reading::aside, kData, ""},
    Extension{"KHR_xmp_json_ld", Reading::aside, kData, ""},
    Extension{"EXT_mesh_features", Reading::aside, kData, ""},
    Extension{"EXT_mesh_manifold", Reading::aside, kData, ""},
    Extension{"EXT_structural_metadata", Reading::aside, kData, ""},
};

/// An unknown name stands for anything.
Extension extension_of(std::string_view name) {
  const auto* found =
      std::find_if(kExtensions.begin(), kExtensions.end(), [&](const Extension& e) { return e.name == name; });
  return found == kExtensions.end() ? Extension{name, Reading::none, "", "Export it without this extension."} : *found;
}

std::set<std::string> names_in(const nlohmann::json& gltf, const char* list) {
  std::set<std::string> names;
  if (const auto found = gltf.find(list); found != gltf.end() && found->is_array())
    for (const auto& name : *found)
      if (name.is_string()) names.insert(name.get<std::string>());
  return names;
}

std::string described(const Extension& e) {
  const std::string what = e.what;
  return "the glTF extension " + std::string(e.name) + (what.empty() ? "" : " (" + what + ")");
}

}  // namespace

Result<UnreadExtensions> check_gltf_extensions(const nlohmann::json& gltf, const std::filesystem::path& file) {
  UnreadExtensions unread;
  const std::set<std::string> required = names_in(gltf, "extensionsRequired");
  for (const std::string& name : required) {
    const Extension e = extension_of(name);
    const Error error{codes::asset_unreadable, file.string(),
                      "the model cannot be read: it requires " + described(e) + ", which is not read.", e.remedy};
    if (e.reading == Reading::none) return error;
    if (e.reading == Reading::tried) unread.tried = error;
  }
  std::set<std::string> used = names_in(gltf, "extensionsUsed");
  used.insert(required.begin(), required.end());
  for (const std::string& name : used) {
    const Extension e = extension_of(name);
    if (e.reading == Reading::none)
      unread.warnings.push_back("The file uses " + described(e) + ", which is not read. " + e.remedy);
    if (e.reading == Reading::aside) unread.notes.push_back("The file uses " + described(e) + ": passed over.");
  }
  return unread;
}

}  // namespace hw
