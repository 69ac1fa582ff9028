// A field as a shader file that stands alone, and the file of its weights.
#pragma once

#include <filesystem>
#include <string>

#include "engine/field/shader_field.h"

namespace hw::interop {

enum class ShaderLanguage : uint8_t { glsl, slang, hlsl };

/// By the file's extension. Error HW-C001: another one.
Result<ShaderLanguage> shader_language(const std::filesystem::path& file);

/// The text: what the function takes, the layout of the weights as a comment, their declaration as a storage buffer,
/// the function. `wire`: the name of what it computes; `weights`: of the file beside it. Error HW-R008: more than four
/// channels, which a function of HLSL cannot return.
Result<std::string> field_file(const shader::FieldShader& field, ShaderLanguage language, const std::string& wire,
                               const std::string& weights);

/// The bytes of that file: the words, each with its lowest byte first.
std::string weights_bytes(std::span<const uint32_t> words);

}  // namespace hw::interop
