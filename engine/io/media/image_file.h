// Pictures from files and into files.
#pragma once

#include <filesystem>

#include "engine/core/mesh.h"
#include "engine/core/result.h"

namespace hw {

/// PNG, JPEG, TGA, BMP, turned upright as EXIF says, by stb_image in a child process that can reach nothing but the
/// file (parser_child.h). Errors HW-A002, HW-A004 (crash, time, memory), HW-A005, HW-R001. Blocks; thread safe.
Result<Image> load_image(const std::filesystem::path& file);
/// PNG. Atomic. Error HW-F002.
Status save_png(const Image& image, const std::filesystem::path& file);

}  // namespace hw
