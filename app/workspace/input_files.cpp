#include "app/workspace/input_files.h"

#include "app/workspace/weights.h"
#include "engine/io/asset/asset_refs.h"

namespace hw::workspace {

namespace fs = std::filesystem;

std::vector<fs::path> input_files(const OpenGraph& loaded, const std::string& weights) {
  std::vector<fs::path> files{loaded.file};
  if (const auto beside = weights_beside(loaded, weights)) files.emplace_back(*beside);
  for (const AssetRef& ref : asset_refs(loaded.graph)) {
    const auto of_node = loaded.assets->files(ref.kind, ref.path);
    files.insert(files.end(), of_node.begin(), of_node.end());
  }
  return files;
}

Status refuse_overwrite(const fs::path& output, const std::vector<fs::path>& inputs) {
  for (const fs::path& input : inputs) {
    std::error_code ignored;
    if (output.empty() || input.empty() || !fs::equivalent(output, input, ignored)) continue;
    return Error{codes::bad_usage, output.string(), "this file is read by the same command; writing would destroy it.",
                 "Choose another name."};
  }
  return ok();
}

Status check_free(const fs::path& output, const std::string& option) {
  std::error_code ec;
  if (!fs::exists(output, ec)) return ok();
  return Error{codes::file_unwritable, output.string(), "there is such a file already.",
               "Name another" + (option.empty() ? "" : " with " + option) + ", or take it away."};
}

}  // namespace hw::workspace
