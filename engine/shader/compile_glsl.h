// GLSL that is known at run time alone, a field's or a region's, as SPIR-V: by glslangValidator, in a process of its
// own. Debian 12's libshaderc lacks glslang and does not link; the tool is the same in Debian 12 and 13.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace hw::shader {

enum class GlslTarget : uint8_t { vulkan_1_0, vulkan_1_2 };

/// A compute shader. Any thread; some 50 ms, 30 s at most; hardly any time where spirv_cache.h has it. Error HW-R008:
/// glslangValidator is not in the PATH, hangs, or what it says.
Result<std::vector<uint32_t>> compile_compute(const std::string& glsl, GlslTarget target);

}  // namespace hw::shader
