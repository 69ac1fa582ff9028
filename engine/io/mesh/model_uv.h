// How a texture lies, from Assimp's properties of a material.
#pragma once

#include <assimp/material.h>

#include "engine/io/mesh/texture_place.h"

namespace hw {

/// As Assimp has it for the texture of that kind. A transform is not applied: what Assimp makes of it differs by
/// format (assimp #6035); `knows_transform`: the caller has it from the file itself.
TexturePlace texture_place(const aiMaterial& material, aiTextureType type, bool knows_transform);

}  // namespace hw
