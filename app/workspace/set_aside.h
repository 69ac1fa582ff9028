// Existing files where something is written: renamed, never replaced.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace hw::workspace {

/// Files of `folder` get names with ".previous" before the ending, NAME.previous-2.ENDING and so on where there are
/// such already, all with the first number that is free for all of them. Those that are not there are left out. The new
/// names. Error HW-F002.
Result<std::vector<std::string>> set_aside(const std::filesystem::path& folder, std::vector<std::string> names);

}  // namespace hw::workspace
