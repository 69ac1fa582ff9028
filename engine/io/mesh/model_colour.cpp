#include "engine/io/mesh/model_colour.h"

#include "engine/core/srgb.h"

namespace hw {

Image tinted(const Image& image, const std::array<float, 3>& factor) {
  Image out = image;
  for (size_t c = 0; c < 3; ++c) {
    std::array<uint8_t, 256> table;
    for (size_t i = 0; i < table.size(); ++i)
      table[i] =
          static_cast<uint8_t>(std::lround(255 * encode_srgb(decode_srgb(static_cast<float>(i) / 255) * factor[c])));
    for (size_t i = c; i < out.rgba.size(); i += 4) out.rgba[i] = table[out.rgba[i]];
  }
  return out;
}

}  // namespace hw
