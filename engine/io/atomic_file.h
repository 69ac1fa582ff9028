// Atomic writing of a file from several pieces of memory.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "engine/core/result.h"

namespace hw {

/// Writes where the file stands, also in parts and after signals. False: errno says why.
bool write_all(int descriptor, std::string_view bytes);
/// As write_file_atomically (graph_file.h), without joining the pieces in memory first.
Status write_pieces_atomically(const std::filesystem::path& file, std::span<const std::string_view> pieces);

}  // namespace hw
