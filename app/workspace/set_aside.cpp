#include "app/workspace/set_aside.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/core/nearest_names.h"
#include "engine/io/checkpoint/checkpoint_file.h"

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

Status set_weights_aside(const fs::path& weights, Notes& notes) {
  const fs::path folder = weights.parent_path();
  HW_TRY(const std::vector<std::string> kept,
         set_aside(folder, {weights.filename().string(), optimiser_file(weights.filename()).string()}));
  if (!kept.empty())
    add_note(notes, "other weights in " + weights.string() + " are kept as " + listed(kept, kept.size()));
  return ok();
}

void note_weights_stay(const fs::path& graph, const fs::path& out, Notes& notes) {
  const auto beside = [](fs::path file) { return file.replace_extension(".safetensors"); };
  std::error_code ec;
  if (!fs::exists(beside(graph), ec) || fs::exists(beside(out), ec)) return;
  add_note(notes, out.string() + " has no weights yet; those of " + graph.string() + " stay in " +
                      beside(graph).string() + ": copy them to " + beside(out).string() + " to go on from them");
}

}  // namespace hw::workspace
