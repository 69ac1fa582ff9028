#include "engine/plan/batch_sizes.h"

#include <set>

#include "engine/graph/check/check_upstream.h"

namespace hw {

std::vector<BatchSize> batch_sizes(const Graph& graph, const std::string& node) {
  const std::unordered_set<std::string> upstream = upstream_nodes(graph, node);
  std::vector<BatchSize> found;
  for (const std::string& id : std::set<std::string>(upstream.begin(), upstream.end())) {
    const Node* source = graph.find(id);
    const NodeType* type = source ? Registry::instance().find(source->type) : nullptr;
    if (!type) continue;
    for (const ParamDecl& param : type->decl.params()) {
      const ParamValue value = param_value(*source, param.id);
      if (const auto* samples = std::get_if<int64_t>(&value); samples && param.is_batch)
        found.push_back({id, &param, *samples});
    }
  }
  return found;
}

}  // namespace hw
