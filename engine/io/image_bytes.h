// Pictures from bytes in memory.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/mesh.h"
#include "engine/core/result.h"

namespace hw {

/// PNG, JPEG, TGA, BMP; the size is checked before the pixels are decoded. `name` is the place in errors (HW-A002).
Result<Image> decode_image(std::string_view bytes, const std::string& name);
/// PNG, RGBA. Error HW-F002 at `name`.
Result<std::string> encode_png(const Image& image, const std::string& name);

}  // namespace hw
