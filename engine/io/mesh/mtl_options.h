// Colours and colour textures of a .mtl file that Assimp does not hand on: where the texture lies, of whose
// options it reads -clamp alone and loses the name of the picture behind some of the others, and whether there is a
// colour, for which it puts its own.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/mesh/texture_place.h"

namespace hw {

struct MtlMaterial {
  std::optional<TexturePlace> place;           // of map_Kd; none: it has no options
  std::optional<std::array<float, 3>> colour;  // Kd; none: it has none in numbers
};
/// By the material's name.
using MtlMaterials = std::map<std::string, MtlMaterial>;

/// `text` with the options of its map_Kd statements taken out of it and into `materials`: -o and -s become
/// (u, v) → (u · s + o, v · s + o), as three.js and Blender read them; -clamp on is Wrap::clamp. Options that change
/// the picture itself are in `unread`. Source: Alias|Wavefront, MTL 4.2.
std::string without_mtl_options(std::string_view text, MtlMaterials& materials);

}  // namespace hw
