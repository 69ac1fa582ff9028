#include "engine/io/file/reach.h"

#include <algorithm>
#include <cstdlib>

#include "engine/core/codes.h"

namespace hw {
namespace {

namespace fs = std::filesystem;
constexpr const char kSystemFolder[] = "/usr/share/assimp/models";

/// Absolute, links followed, without a slash at the end; empty when that cannot be known.
fs::path resolved(const fs::path& path) {
  std::error_code ec;
  fs::path absolute = fs::absolute(path.empty() ? fs::path(".") : path, ec);
  if (!ec) absolute = fs::weakly_canonical(absolute, ec);
  if (ec) return {};
  absolute = absolute.lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

bool is_at_or_below(const fs::path& file, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first == root.end();
}

}  // namespace

std::vector<fs::path> asset_folders() {
  std::vector<fs::path> folders;
  if (const char* list = std::getenv("HALFWIRE_ASSETS")) {
    std::string_view rest = list;
    while (!rest.empty()) {
      const size_t colon = std::min(rest.find(':'), rest.size());
      if (colon > 0) folders.emplace_back(rest.substr(0, colon));
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  folders.emplace_back(kSystemFolder);
  return folders;
}

Reach::Reach(const fs::path& graph_folder) {
  allow(graph_folder);
  for (const fs::path& folder : asset_folders()) allow(folder);
}

void Reach::allow(const fs::path& file_or_folder) {
  fs::path root = resolved(file_or_folder);
  if (!root.empty() && std::find(roots_.begin(), roots_.end(), root) == roots_.end()) roots_.push_back(std::move(root));
}

Status Reach::check(const fs::path& file, std::string_view named) const {
  const fs::path meant = resolved(file);
  const auto holds = [&](const fs::path& root) { return is_at_or_below(meant, root); };
  if (!meant.empty() && std::any_of(roots_.begin(), roots_.end(), holds)) return ok();
  return Error{codes::asset_refused, (meant.empty() ? file : meant).string(),
               "\"" + std::string(named) +
                   "\" leads outside the folders that may be read for this graph: its own and the asset folders.",
               "Put the file beside the graph, or allow it (on the command line: --allow-path DIR)."};
}

}  // namespace hw
