// A glTF file of one triangle, made for tests.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/engine/io_temp.h"
#include "tests/engine/load_mesh.h"

namespace hw::test {

template <class T>
inline std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A triangle in the making: (0, 0, 0), (1, 0, 0), (0, 1, 0), with UVs (0, 0), (1, 0), (0, 1), v down.
struct GltfTriangle {
  nlohmann::json gltf = {{"asset", {{"version", "2.0"}}},
                         {"scenes", {{{"nodes", {0}}}}},
                         {"nodes", {{{"mesh", 0}}}},
                         {"materials", {{{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}}}},
                         {"textures", {{{"source", 0}}}},
                         {"images", {{{"uri", "none.png"}}}},
                         {"accessors", nlohmann::json::array()},
                         {"bufferViews", nlohmann::json::array()}};
  std::string bytes;
  nlohmann::json attributes = nlohmann::json::object(), primitive = nlohmann::json::object(),
                 mesh = nlohmann::json::object();

  /// Returns the number of the accessor.
  size_t add(const std::string& name, const std::string& data, int component, int components, int stride = 0) {
    bytes.resize((bytes.size() + 3) / 4 * 4);
    nlohmann::json view{{"buffer", 0}, {"byteOffset", bytes.size()}, {"byteLength", data.size()}};
    if (stride) view["byteStride"] = stride;
    nlohmann::json accessor{{"bufferView", gltf["bufferViews"].size()},
                            {"componentType", component},
                            {"count", 3},
                            {"type", "VEC" + std::to_string(components)}};
    if (component != 5126) accessor["normalized"] = true;
    if (name == "POSITION") accessor.update({{"min", {0, 0, 0}}, {"max", {1, 1, 0}}});
    attributes[name] = gltf["accessors"].size();
    gltf["bufferViews"].push_back(view);
    gltf["accessors"].push_back(accessor);
    bytes += data;
    return gltf["accessors"].size() - 1;
  }
  /// Numbers of vertices, of 1, 2 or 4 bytes.
  template <class T>
  void add_indices(const std::vector<T>& indices) {
    const int component = sizeof(T) == 1 ? 5121 : sizeof(T) == 2 ? 5123 : 5125;
    const size_t at = add("", bytes_of(indices), component, 1);
    attributes.erase("");
    gltf["accessors"][at] = {
        {"bufferView", at}, {"componentType", component}, {"count", indices.size()}, {"type", "SCALAR"}};
    primitive["indices"] = at;
  }
  void add_positions() { add("POSITION", bytes_of<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}), 5126, 3); }
  void add_uvs() { add("TEXCOORD_0", bytes_of<float>({0, 0, 1, 0, 0, 1}), 5126, 2); }
  nlohmann::json& texture() { return gltf["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]; }

  /// `uri`: where the bytes are.
  Result<std::shared_ptr<const Mesh>> read(const std::filesystem::path& file, const std::string& uri) {
    primitive.update({{"attributes", attributes}, {"material", 0}});
    mesh["primitives"] = {primitive};
    gltf["meshes"] = {mesh};
    gltf["buffers"] = {{{"byteLength", bytes.size()}, {"uri", uri}}};
    write_bytes(file, gltf.dump());
    return load_mesh(file);
  }
  Result<std::shared_ptr<const Mesh>> read(const TempFolder& folder) {
    write_bytes(folder / "t.bin", bytes);
    return read(folder / "t.gltf", "t.bin");
  }
};

}  // namespace hw::test
