#include "engine/graph/groups/flatten.h"

#include "engine/graph/groups/scope.h"

namespace hw {

Graph flatten(const Graph& graph) {
  Graph flat;
  flat.precision = graph.precision;
  flat.weight_names = graph.weight_names;
  flat.extra = graph.extra;
  for (const auto& [id, frame] : graph.frames()) flat.set_frame(frame);
  const Scope scope = document_scope(graph);
  for (const auto& [id, node] : graph.nodes()) expand(scope, node, flat);
  add_dangling_links(scope, flat);
  return flat;
}

std::vector<std::string> nodes_at(const Graph& flat, const std::string& path) {
  std::vector<std::string> ids;
  if (flat.find(path)) ids.push_back(path);
  const std::string below = path + "/";
  for (auto node = flat.nodes().lower_bound(below); node != flat.nodes().end() && node->first.starts_with(below);
       ++node)
    ids.push_back(node->first);
  return ids;
}

}  // namespace hw
