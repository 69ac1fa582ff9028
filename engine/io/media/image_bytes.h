// Pictures from bytes in memory.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/mesh.h"
#include "engine/core/result.h"

namespace hw {

inline constexpr uint64_t kMaxPictureBytes = uint64_t{256} << 20;  // of a picture file
inline constexpr int kMaxPictureSide = 16384;                      // pixels

enum class Turned : uint8_t {
  upright,   // as EXIF orientation says, as viewers show it
  as_stored  // texture coordinates are of the stored pixels; an orientation is in the warnings
};

/// PNG, JPEG, TGA, BMP, in this process: only a child process does this with untrusted bytes (parser_child.h). The size
/// is checked before the pixels are decoded, against `memory` bytes, too. A PNG with 16 bits a channel keeps them.
/// `name` is the place in errors (HW-A002, HW-R001).
Result<Image> decode_image(std::string_view bytes, const std::string& name, Turned turned, uint64_t memory);
/// PNG, RGBA. Error HW-F002 at `name`.
Result<std::string> encode_png(const Image& image, const std::string& name);

}  // namespace hw
