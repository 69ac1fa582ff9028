// Image: a picture in memory. Plain data, no file formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hw {

/// RGBA picture, rows top to bottom, sRGB-encoded colour. Row 0 holds v = 1 of the uv square.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgba;               // width·height·4; value ÷ 255
  std::vector<uint16_t> deep = {};         // of a picture with 16 bits a channel: value ÷ 65535; rgba is it, rounded
  std::vector<std::string> warnings = {};  // what of its file is not in it, one sentence each
};

}  // namespace hw
