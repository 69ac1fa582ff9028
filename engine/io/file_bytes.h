// Reading whole files with a limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/core/result.h"

namespace hw {

/// All bytes of a regular file. Error `code` (HW-F001 by default) with the system's reason, or when the file is larger
/// than `limit` bytes; nothing is read then.
Result<std::string> read_file_bytes(const std::filesystem::path& file, uint64_t limit, const char* code = nullptr);

}  // namespace hw
