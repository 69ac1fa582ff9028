// GLSL that is known at run time alone, such as a field's, as SPIR-V: by glslangValidator, in a process of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace hw::viewport {

/// A compute shader for Vulkan 1.0. Any thread; some 50 ms, 30 s at most. Error HW-R008: glslangValidator is not in the
/// PATH, hangs, or what it says.
Result<std::vector<uint32_t>> compile_compute(const std::string& glsl);

}  // namespace hw::viewport
