// The system's error for a file, with a remedy that fits it.
#pragma once

#include <filesystem>

#include "engine/core/result.h"

namespace hw {

/// HW-F001 at `file`; `why`: an errno. 0, where a library does not say, is an error of the disk.
Error unreadable(const std::filesystem::path& file, int why);
/// HW-F002 at `file`, which is as it was before.
Error unwritable(const std::filesystem::path& file, int why);

}  // namespace hw
