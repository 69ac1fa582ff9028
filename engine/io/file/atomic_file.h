// Atomic writing of a file.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "engine/core/result.h"

namespace hw {

/// Temporary file beside it, fsync, rename. Error HW-F002 (with the system's reason: disk full, no permission, …).
Status write_file_atomically(const std::filesystem::path& file, std::string_view bytes);
/// The same of several pieces, which are not joined in memory first.
Status write_pieces_atomically(const std::filesystem::path& file, std::span<const std::string_view> pieces);

}  // namespace hw
