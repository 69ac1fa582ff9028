// Options of the colour textures of a .mtl file: where the texture lies. Assimp reads -clamp alone, and loses the name
// of the picture behind some of the others.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/texture_place.h"

namespace hw {

/// How the colour texture (map_Kd) of each material lies, by the material's name. Only those with options.
using MtlTextures = std::map<std::string, TexturePlace>;

/// `text` with the options of its map_Kd statements taken out of it and into `textures`: -o and -s become
/// (u, v) → (u · s + o, v · s + o), as three.js and Blender read them; -clamp on is Wrap::clamp. Options that change
/// the picture itself are in `unread`. Source: Alias|Wavefront, MTL 4.2.
std::string without_mtl_options(std::string_view text, MtlTextures& textures);

}  // namespace hw
