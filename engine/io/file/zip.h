// Zip archives: several files in one, to send. Format: PKWARE APPNOTE 6.3.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "engine/core/result.h"

namespace hw {

struct ZipEntry {
  std::string name;  // UTF-8, relative, "/" between folders
  std::string bytes;
};

/// Stored without compression, in this order; the same entries give the same bytes. Atomic. Error HW-F002: cannot be
/// written, or more than the 4 GiB or 65,535 entries that the plain format holds.
Status save_zip(std::span<const ZipEntry> entries, const std::filesystem::path& file);

}  // namespace hw
