// Fields for the device that draws, as shaders written in code.
#pragma once

#include <bit>

#include "engine/field/gpu_field.h"

namespace hw::viewport::test {

/// `body` of `vec3 field(vec3 position)`, which may read `weights`.
inline std::shared_ptr<const GpuField> gpu_field(const std::string& body, std::vector<uint32_t> weights = {}) {
  shader::FieldShader shader;
  shader.text = "vec3 field(vec3 position) { " + body + " }\n";
  shader.variables = {{"position", "position", 3}};
  shader.words = weights.size();
  return std::make_shared<const GpuField>(
      GpuField{std::make_shared<const shader::FieldShader>(std::move(shader)),
               [weights = std::move(weights)]() -> Result<std::vector<uint32_t>> { return weights; }});
}

/// position_field(), times a weight.
inline std::shared_ptr<const GpuField> gpu_position_field(float times = 1) {
  return gpu_field("return (0.5 + 0.5 * position) * uintBitsToFloat(weights[0]);", {std::bit_cast<uint32_t>(times)});
}

}  // namespace hw::viewport::test
