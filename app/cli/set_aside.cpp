#include "app/cli/set_aside.h"

#include <algorithm>
#include <cstdio>

#include "engine/core/codes.h"
#include "engine/core/nearest_names.h"
#include "engine/io/checkpoint_file.h"

namespace hw::cli {

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

Status set_weights_aside(const fs::path& weights) {
  const fs::path folder = weights.parent_path();
  HW_TRY(const std::vector<std::string> kept,
         set_aside(folder, {weights.filename().string(), optimiser_file(weights.filename()).string()}));
  if (!kept.empty())
    std::fprintf(stderr, "note: other weights in %s are kept as %s\n", weights.string().c_str(),
                 listed(kept, kept.size()).c_str());
  return ok();
}

void note_weights_stay(const fs::path& graph, const fs::path& out) {
  const auto beside = [](fs::path file) { return file.replace_extension(".safetensors"); };
  std::error_code ec;
  if (!fs::exists(beside(graph), ec) || fs::exists(beside(out), ec)) return;
  std::fprintf(stderr, "note: %s has no weights yet; those of %s stay in %s: copy them to %s to go on from them\n",
               out.string().c_str(), graph.string().c_str(), beside(graph).string().c_str(),
               beside(out).string().c_str());
}

}  // namespace hw::cli
