// Vertex attributes of a glTF file that are stored as whole numbers: Assimp takes their bytes for floats.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/file/reach.h"

namespace hw {

/// The bytes of a file's buffers: the chunk of a .glb, data URIs, files beside within reach. Read when asked for.
class GltfBuffers {
 public:
  /// All four must outlive it.
  GltfBuffers(const nlohmann::json& gltf, const std::filesystem::path& file, std::string_view binary,
              const Reach& reach)
      : gltf_(gltf), file_(file), binary_(binary), reach_(reach) {}
  /// Empty where there are none.
  std::string_view bytes(size_t buffer);

 private:
  std::string read(size_t buffer) const;
  const nlohmann::json& gltf_;
  const std::filesystem::path& file_;
  std::string_view binary_;
  const Reach& reach_;
  std::map<size_t, std::string> read_;
};

/// The elements of an accessor in their buffer, which `buffers` holds.
struct GltfElements {
  std::string_view bytes;
  size_t first = 0, stride = 0, count = 0;  // bytes; of the first element, from one to the next
  const char* at(size_t i) const { return bytes.data() + first + i * stride; }
};
/// None where it is sparse, empty or does not fit its buffer. `size`: bytes of an element.
std::optional<GltfElements> elements_of(const nlohmann::json& gltf, size_t accessor, size_t size, GltfBuffers& buffers);

/// Numbers of vertices, as the faces of a primitive name them; `at(i)` for i < count.
struct GltfIndices {
  GltfElements elements;
  size_t size = 0;  // bytes of a number
  uint32_t at(size_t i) const;
};
std::optional<GltfIndices> indices_of(const nlohmann::json& gltf, size_t accessor, GltfBuffers& buffers);

/// Whether the components of an accessor are whole numbers.
bool is_whole(const nlohmann::json& gltf, size_t accessor);
/// Its elements one after another as floats, in [0, 1] or [−1, 1] where it is normalised; none where it is sparse, of
/// another number of components, or does not fit its buffer. Source: Khronos, glTF 2.0, 3.6.2.
std::optional<std::vector<float>> whole_numbers(const nlohmann::json& gltf, size_t accessor, size_t components,
                                                GltfBuffers& buffers);

}  // namespace hw
