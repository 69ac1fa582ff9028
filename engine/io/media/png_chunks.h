// The chunks of a PNG file. Source: PNG (ISO/IEC 15948), 5.3.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace hw {

struct PngChunk {
  std::string_view name, data;
  size_t at = 0;          // its first byte in the file
  bool is_sound = false;  // its checksum is that of its name and data
};

/// `see` is given each chunk up to IEND. False where the file ends before IEND does.
bool each_png_chunk(std::string_view bytes, const std::function<void(const PngChunk&)>& see);

}  // namespace hw
