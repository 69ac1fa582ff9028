// A field function run on a Vulkan device.
#pragma once

#include "engine/shader/field/field_shader.h"
#include "tests/shader/compute_device.h"

namespace hw::test {

enum class FieldLanguage : uint8_t { glsl, hlsl };

/// Channels [points · C] of the function at points: of each of its variables, the components point by point. `points`:
/// a multiple of 64. In HLSL there are at most four channels.
Result<std::vector<float>> run_field(ComputeDevice& device, const shader::FieldShader& field,
                                     const std::vector<uint32_t>& weights,
                                     const std::vector<std::vector<float>>& variables, size_t points,
                                     FieldLanguage language = FieldLanguage::glsl);

}  // namespace hw::test
