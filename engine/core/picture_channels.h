// Channels of a picture as numbers in [0, 1], whatever the bits that it has.
#pragma once

#include "engine/core/mesh.h"

namespace hw {

/// Channel `at` of width·height·4.
inline double channel_value(const Image& image, size_t at) {
  return image.deep.empty() ? image.rgba[at] / 255.0 : image.deep[at] / 65535.0;
}

/// Each value in 8 bits: value · 255 ÷ 65535, to nearest.
inline std::vector<uint8_t> rounded_channels(const std::vector<uint16_t>& deep) {
  std::vector<uint8_t> rgba(deep.size());
  for (size_t i = 0; i < deep.size(); ++i) rgba[i] = static_cast<uint8_t>((deep[i] * 255u + 32767u) / 65535u);
  return rgba;
}

}  // namespace hw
