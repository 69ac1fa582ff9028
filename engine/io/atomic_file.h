// Atomic writing of a file from several pieces of memory.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "engine/core/result.h"

namespace hw {

/// As write_file_atomically (graph_file.h), without joining the pieces in memory first.
Status write_pieces_atomically(const std::filesystem::path& file, std::span<const std::string_view> pieces);

}  // namespace hw
