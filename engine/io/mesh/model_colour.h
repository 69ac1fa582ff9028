// Colours of a model's file in what a mesh has: channels, tinted pictures. Of vertices: model_instances.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/mesh.h"

namespace hw {

/// A channel from a file in [0, 1]; 0 where it is no number.
inline float channel(float x) {
  return std::isfinite(x) ? std::clamp(x, 0.0f, 1.0f) : 0.0f;
}

/// `image` times `factor` in linear light, as glTF multiplies, encoded and rounded again. Opacity stays.
Image tinted(const Image& image, const std::array<float, 3>& factor);

}  // namespace hw
