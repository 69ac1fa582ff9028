#include "engine/plan/reduced_graph.h"

#include "engine/graph/edit.h"
#include "engine/plan/train_settings.h"

namespace hw {

ReducedGraph reduce_graph(const Graph& graph, int64_t samples, bool sizes) {
  ReducedGraph reduced{graph, {}};
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type) continue;
    for (const ParamDecl& param : type->decl.params()) {
      if (!param.is_batch && !(sizes && param.check_size)) continue;
      const int64_t most = param.is_batch ? samples : *param.check_size;
      const ParamValue value = param_value(node, param.id);
      const auto* size = std::get_if<int64_t>(&value);
      if (!size || *size <= most) continue;
      if (apply_edits(reduced.graph, {SetParam{id, param.id, most}}))
        reduced.reductions.push_back({id, param.id, *size, most});
    }
  }
  return reduced;
}

Result<int64_t> declared_samples(const Graph& graph) {
  HW_TRY(const std::string trainer, find_trainer(graph));
  return std::get<int64_t>(param_value(*graph.find(trainer), "check_samples"));
}

}  // namespace hw
