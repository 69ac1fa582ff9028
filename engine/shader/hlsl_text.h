// The GLSL of this folder as HLSL or Slang.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hw::shader {

enum class HlslDialect : uint8_t { hlsl, slang };

/// `glsl`: what GlslLibrary and field_shader print, word by word; f64 wants 64-bit integers. Not for any other GLSL.
/// HLSL (shader model 6) takes arrays, but cannot return them; Slang can.
std::string hlsl_text(std::string_view glsl, HlslDialect dialect);

}  // namespace hw::shader
