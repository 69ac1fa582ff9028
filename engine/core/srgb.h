// sRGB's curve (IEC 61966-2-1) for colours on a display. Kernels and the oracle have formulas of their own.
#pragma once

#include <algorithm>
#include <cmath>

namespace hw {

/// Linear light to sRGB-encoded, both clamped to [0, 1]; NaN stays NaN.
inline float encode_srgb(float linear) {
  const float x = std::clamp(linear, 0.0f, 1.0f);
  return x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1 / 2.4f) - 0.055f;
}

/// The inverse, on [0, 1].
inline float decode_srgb(float encoded) {
  return encoded <= 0.04045f ? encoded / 12.92f : std::pow((encoded + 0.055f) / 1.055f, 2.4f);
}

}  // namespace hw
