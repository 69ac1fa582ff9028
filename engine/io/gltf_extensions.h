// Extensions of glTF: which are read, and what is said of those that are not.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace hw {

/// What a file uses and does not get, by name, a sentence each.
struct UnreadExtensions {
  std::vector<std::string> warnings;  // the mesh or its colours lack something for it
  std::vector<std::string> notes;     // lights, other properties of materials, metadata
};

/// `gltf`: the JSON of `file`. Error HW-A002 with a remedy where it *requires* an extension without which the mesh would
/// be wrong.
Result<UnreadExtensions> check_gltf_extensions(const nlohmann::json& gltf, const std::filesystem::path& file);

}  // namespace hw
