// ColorField: colour as a function of place on a mesh, ready to be called.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "engine/core/result.h"

namespace hw {

/// Maps n object-space positions and their unit normals to n sRGB-encoded colours; values outside [0, 1] are clamped
/// for pictures only. Callable from any thread; large sets are handed over block by block, so that the caller can
/// stop between. Errors are the field's own.
using ColorField = std::function<Result<std::vector<std::array<float, 3>>>(
    std::span<const std::array<float, 3>> positions, std::span<const std::array<float, 3>> normals)>;

}  // namespace hw
