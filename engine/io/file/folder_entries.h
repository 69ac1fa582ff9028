// What is in a folder. std::filesystem's own iterators take memory where they may not throw, and end the program where
// there is none.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace hw {

/// `folder` / name of all that is in it, in no order. `ec`: the system's reason where the folder cannot be read to its
/// end; what was found before is returned. Throws std::bad_alloc.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code& ec);

}  // namespace hw
