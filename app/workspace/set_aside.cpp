#include "app/workspace/set_aside.h"

#include <algorithm>

#include "engine/core/codes.h"

namespace hw::workspace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> set_aside(const fs::path& folder, std::vector<std::string> names) {
  std::error_code ec;
  std::erase_if(names, [&](const std::string& name) { return !fs::exists(folder / name, ec); });
  const auto named = [&](const std::string& name, int n) {
    const size_t dot = name.find('.');
    return name.substr(0, dot) + ".previous" + (n > 1 ? "-" + std::to_string(n) : "") + name.substr(dot);
  };
  int n = 1;
  while (std::ranges::any_of(names, [&](const std::string& name) { return fs::exists(folder / named(name, n), ec); }))
    ++n;
  std::vector<std::string> kept;
  for (const std::string& name : names) {
    kept.push_back(named(name, n));
    fs::rename(folder / name, folder / kept.back(), ec);
    if (ec)
      return Error{codes::file_unwritable, (folder / name).string(), "cannot be set aside: " + ec.message() + ".",
                   "Move it away, or name another folder."};
  }
  return kept;
}

}  // namespace hw::workspace
