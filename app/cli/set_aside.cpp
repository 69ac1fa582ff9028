#include "app/cli/set_aside.h"

#include <cstdio>

#include "app/workspace/set_aside.h"
#include "engine/core/nearest_names.h"
#include "engine/io/checkpoint_file.h"

namespace hw::cli {

namespace fs = std::filesystem;

Status set_weights_aside(const fs::path& weights) {
  const fs::path folder = weights.parent_path();
  HW_TRY(const std::vector<std::string> kept,
         workspace::set_aside(folder, {weights.filename().string(), optimiser_file(weights.filename()).string()}));
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
