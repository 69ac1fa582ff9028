#include "engine/graph/flatten.h"

#include "engine/graph/scope.h"

namespace hw {

Graph flatten(const Graph& graph) {
  Graph flat;
  flat.precision = graph.precision;
  flat.extra = graph.extra;
  for (const auto& [id, frame] : graph.frames()) flat.set_frame(frame);
  const Scope scope = document_scope(graph);
  for (const auto& [id, node] : graph.nodes()) expand(scope, node, flat);
  add_wires_to_nowhere(scope, flat);
  return flat;
}

}  // namespace hw
