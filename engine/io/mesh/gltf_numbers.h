// Members of a glTF file that must have so many numbers: Assimp passes over some that have not, and stops at others.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/core/result.h"

namespace hw {

/// Places of nodes, colours of materials, KHR_texture_transform of any texture. Error: a reason, such as "the node
/// "wheel" has a translation that is not 3 numbers". Source: Khronos, glTF 2.0, 5.25 and 5.22.
Status check_gltf_numbers(const nlohmann::json& gltf);

}  // namespace hw
