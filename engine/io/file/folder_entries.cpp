#include "engine/io/file/folder_entries.h"

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace hw {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code& ec) {
  ec.clear();
  std::vector<std::filesystem::path> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  if (!open) {
    ec.assign(errno, std::generic_category());
    return found;
  }
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(open.get());
    if (!entry) break;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") found.push_back(folder / name);
  }
  if (errno != 0) ec.assign(errno, std::generic_category());
  return found;
}

}  // namespace hw
