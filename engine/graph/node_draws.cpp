#include "engine/graph/node_draws.h"

#include <cassert>

#include "engine/graph/edit.h"

namespace hw {

RandomParams node_draws(const Node& node) {
  const NodeType* type = Registry::instance().find(node.type);
  return type && !node.bypassed ? random_params(type->decl, node.params, node.id) : RandomParams();
}

void clear_fixed_draws(Graph& graph) {
  Edits edits;
  for (const auto& [id, node] : graph.nodes()) {
    const RandomParams random = node_draws(node);
    if (random.seed) edits.push_back(SetParam{id, "random_seed", std::nullopt});
    if (random.step) edits.push_back(SetParam{id, "random_step", std::nullopt});
  }
  [[maybe_unused]] const auto applied = apply_edits(graph, edits);
  assert(applied && "its own nodes, and parameters that they have");
}

}  // namespace hw
