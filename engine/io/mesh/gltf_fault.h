// The structure of a glTF file: its parts, and what is wrong with one that could not be read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace hw {

inline constexpr uint64_t kGltfMaxBytes = uint64_t{256} << 20;  // larger files are read by Assimp alone

/// A file taken apart. In `fault` a reason as gltf_fault gives it; the others are empty then.
struct GltfChunks {
  std::string_view text, binary;  // JSON, and the chunk of bytes that a .glb may have
  std::string fault;
};
/// `bytes`: of the whole file, which must outlive the result. A GLB of version 1 has neither chunk nor fault.
GltfChunks gltf_chunks(std::string_view bytes, bool is_glb);

/// A reason without a full stop, such as "its second chunk ends after the file does"; empty when the structure is
/// sound. Checks a .glb's container, and the JSON of both kinds, version 2. Source: Khronos, glTF 2.0, 4 and 5.
std::string gltf_fault(const std::filesystem::path& file);

}  // namespace hw
