// What is wrong with a glTF file that could not be read, from its own structure.
#pragma once

#include <filesystem>
#include <string>

namespace hw {

/// A reason without a full stop, such as "its second chunk ends after the file does"; empty when the structure is
/// sound. Looks at a .glb's container and at the JSON of both kinds, version 2. Source: Khronos, glTF 2.0, 4 and 5.
std::string gltf_fault(const std::filesystem::path& file);

}  // namespace hw
