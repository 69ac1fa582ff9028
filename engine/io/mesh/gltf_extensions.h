// Extensions of glTF: which are read, and the messages for those that are not.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace hw {

/// What a file uses and does not get, by name, a sentence each.
struct UnreadExtensions {
  std::vector<std::string> warnings;  // the mesh or its colours lack something for it
  std::vector<std::string> notes;     // lights, other properties of materials, metadata
  std::optional<Error> tried;  // what to say where Assimp does not read the file: it may lack a required extension
};

/// `gltf`: the JSON of `file`. Error HW-A002 with a remedy where it *requires* an extension without which the mesh
/// would be wrong.
Result<UnreadExtensions> check_gltf_extensions(const nlohmann::json& gltf, const std::filesystem::path& file);

}  // namespace hw
