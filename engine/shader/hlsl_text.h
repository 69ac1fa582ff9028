// The GLSL of this folder as HLSL, which is Slang, too.
#pragma once

#include <string>
#include <string_view>

namespace hw::shader {

/// `glsl`: what GlslLibrary and field_shader print, word by word in HLSL (shader model 6); f64 wants 64-bit integers.
/// Not for any other GLSL.
std::string hlsl_text(std::string_view glsl);

}  // namespace hw::shader
