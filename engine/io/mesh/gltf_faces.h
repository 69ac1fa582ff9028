// Faces of a glTF file that name vertices which are not there: Assimp leaves them out.
#pragma once

#include <string>
#include <vector>

#include "engine/io/mesh/gltf_accessor.h"

namespace hw {

/// A sentence for each mesh that has such faces, or numbers of vertices that make no face. Error: a reason, where no
/// face of a primitive is left. Source: Khronos, glTF 2.0, 3.7.2.1.
Result<std::vector<std::string>> lost_faces(const nlohmann::json& gltf, GltfBuffers& buffers);

}  // namespace hw
