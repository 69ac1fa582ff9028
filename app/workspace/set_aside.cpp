#include "app/workspace/set_aside.h"

#include <algorithm>

#include "app/workspace/weights_beside.h"
#include "engine/core/codes.h"
#include "engine/io/checkpoint/checkpoint_file.h"

namespace hw::workspace {

namespace fs = std::filesystem;

namespace {

/// "duck.previous.safetensors"; "duck.previous-2.optimiser.safetensors", which is optimiser_file of its weights' name.
std::string name_aside(const std::string& name, int n) {
  constexpr std::string_view kOptimiser = ".optimiser.safetensors";
  const size_t dot = name.ends_with(kOptimiser) ? name.size() - kOptimiser.size() : name.rfind('.');
  const size_t stem = std::min(dot, name.size());
  return name.substr(0, stem) + ".previous" + (n > 1 ? "-" + std::to_string(n) : "") + name.substr(stem);
}

}  // namespace

Result<std::vector<std::string>> set_aside(const fs::path& folder, std::vector<std::string> names) {
  std::error_code ec;  // a folder of that name is in the way of who saves, not set aside
  std::erase_if(names, [&](const std::string& name) { return !fs::is_regular_file(folder / name, ec); });
  const auto is_taken = [&](const std::string& name, int n) { return fs::exists(folder / name_aside(name, n), ec); };
  int n = 1;
  while (std::ranges::any_of(names, [&](const std::string& name) { return is_taken(name, n); })) ++n;
  std::vector<std::string> kept;
  std::vector<std::pair<fs::path, fs::path>> moves;
  for (const std::string& name : names) {
    kept.push_back(name_aside(name, n));
    moves.emplace_back(folder / name, folder / kept.back());
  }
  // All or none: once the first is renamed, nothing asks for memory.
  for (size_t i = 0; i < moves.size(); ++i) {
    fs::rename(moves[i].first, moves[i].second, ec);
    if (!ec) continue;
    std::string stays;
    for (size_t done = i; done-- > 0;) {
      std::error_code back;
      fs::rename(moves[done].second, moves[done].first, back);
      if (back) stays += " " + names[done] + " is now called " + kept[done] + ".";
    }
    return Error{codes::file_unwritable, moves[i].first.string(), "cannot be set aside: " + ec.message() + "." + stays,
                 "Move it away, or name another folder."};
  }
  return kept;
}

Result<KeptAside> set_aside_with_optimiser(const fs::path& weights) {
  const fs::path optimiser = optimiser_file(weights);
  std::error_code ec;
  const bool has_weights = fs::is_regular_file(weights, ec), has_optimiser = fs::is_regular_file(optimiser, ec);
  const auto kept = set_aside(weights.parent_path(), {weights.filename().string(), optimiser.filename().string()});
  if (kept) return KeptAside{has_weights ? kept->front() : "", has_optimiser ? kept->back() : ""};
  Error error = kept.error();
  error.reason = "other weights lie there; this file " + error.reason;
  error.remedy = "Move them away, or save under another name.";
  return error;
}

Status set_weights_aside(const fs::path& weights, Notes& notes) {
  HW_TRY(const KeptAside kept, set_aside_with_optimiser(weights));
  if (!kept.weights.empty())
    add_note(notes, "other weights in " + weights.string() + " are kept as " + kept.weights +
                        (kept.optimiser.empty() ? "" : ", " + kept.optimiser));
  else if (!kept.optimiser.empty())
    add_note(notes,
             "another optimiser's state in " + optimiser_file(weights).string() + " is kept as " + kept.optimiser);
  return ok();
}

void note_weights_stay(const fs::path& graph, const fs::path& out, Notes& notes) {
  const fs::path from = weights_file(graph), to = weights_file(out);
  std::error_code ec;
  if (!fs::exists(from, ec) || fs::exists(to, ec)) return;
  add_note(notes, out.string() + " has no weights yet; those of " + graph.string() + " stay in " + from.string() +
                      ": copy them to " + to.string() + " to go on from them");
}

}  // namespace hw::workspace
