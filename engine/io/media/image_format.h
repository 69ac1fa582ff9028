// What kind of picture some bytes are.
#pragma once

#include <string_view>

namespace hw {

/// TGA has no signature: its bytes are `other` until they are read as one.
enum class ImageFormat { png, jpeg, bmp, tga, other };
ImageFormat image_format(std::string_view bytes);
/// "PNG", "JPEG", "BMP", "TGA", "picture".
std::string_view name(ImageFormat format);

}  // namespace hw
