// GpuField: a field as the device that draws can compute it, pixel by pixel, without the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/core/result.h"
#include "engine/shader/field/field_shader.h"

namespace hw {

/// One snapshot of a field's weights, with the shader that reads them. Immutable.
struct GpuField {
  /// `vec3 field(…)` of what the viewer has, sRGB-encoded colours; the same object for all snapshots of a graph.
  std::shared_ptr<const shader::FieldShader> shader;
  /// shader->words words. Any thread; may take a while.
  std::function<Result<std::vector<uint32_t>>()> weights;
};

}  // namespace hw
