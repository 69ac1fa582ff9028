#include "engine/io/media/image_format.h"

#include <array>
#include <cstddef>

namespace hw {

ImageFormat image_format(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return ImageFormat::png;
  if (bytes.starts_with("\xFF\xD8")) return ImageFormat::jpeg;
  if (bytes.starts_with("BM")) return ImageFormat::bmp;
  return ImageFormat::other;
}

std::string_view name(ImageFormat format) {
  constexpr std::array<std::string_view, 5> names{"PNG", "JPEG", "BMP", "TGA", "picture"};
  return names[static_cast<size_t>(format)];
}

}  // namespace hw
