// A field: colour as a function of position on the mesh, evaluated outside the GPU. No Qt, no Vulkan.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "engine/core/result.h"

namespace hw::viewport {

using Float3 = std::array<float, 3>;

/// Maps n object-space positions and their unit normals to n sRGB-encoded colours; values outside [0,1] are clamped
/// for the picture only. Called on a worker thread, block by block; must be safe to call there while the GUI runs.
using FieldEvaluator = std::function<Result<std::vector<std::array<float, 3>>>(
    std::span<const std::array<float, 3>> positions, std::span<const std::array<float, 3>> normals)>;

}  // namespace hw::viewport
