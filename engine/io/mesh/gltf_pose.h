// Skins, morph targets and animations of a glTF file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/io/mesh/unread_poses.h"

namespace hw {

/// Source: Khronos, glTF 2.0, 3.7.2.2, 3.7.3, 3.11.
UnreadPoses unread_poses(const nlohmann::json& gltf);

/// `bytes` of the file, of which `text` is the JSON, with its skins under a name that no reader knows; none where each
/// has its inverseBindMatrices. Without, which is allowed, Assimp 5.2.5 crashes (assimp #3465).
std::optional<std::string> without_skins(std::string_view bytes, std::string_view text, const nlohmann::json& gltf);

}  // namespace hw
