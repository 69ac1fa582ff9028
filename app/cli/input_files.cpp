#include "app/cli/input_files.h"

namespace hw::cli {

namespace fs = std::filesystem;

std::vector<fs::path> input_files(const LoadedGraph& loaded, const std::string& graph_file,
                                  const std::string& weights) {
  std::vector<fs::path> files{graph_file, weights_beside(graph_file, weights)};
  for (const auto& [id, node] : loaded.graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.outputs().empty()) continue;
    for (const ParamDecl& p : type->decl.params()) {
      const ParamValue value = param_value(node, p.id);
      const auto* path = std::get_if<std::string>(&value);
      if (p.type != ParamDecl::Type::path || !path || path->empty()) continue;
      const auto of_node = loaded.assets->files(type->decl.outputs().front().kind, *path);
      files.insert(files.end(), of_node.begin(), of_node.end());
    }
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

}  // namespace hw::cli
