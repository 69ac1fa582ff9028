#include "engine/graph/check_upstream.h"

#include <algorithm>

namespace hw {

std::unordered_set<std::string> upstream_nodes(const Graph& graph, const std::string& node) {
  std::unordered_set<std::string> seen{node};
  std::vector<std::string> stack{node};
  while (!stack.empty()) {
    const std::string id = std::move(stack.back());
    stack.pop_back();
    for (const Link& link : graph.links_into(id))
      if (seen.insert(link.from).second) stack.push_back(link.from);
  }
  return seen;
}

bool depends_on(const Graph& graph, const Link& wire, const Link& on) {
  if (wire.from == on.from && wire.from_socket == on.from_socket) return true;
  const std::unordered_set<std::string> before = upstream_nodes(graph, wire.from);
  const auto readers = graph.links_from(on.from, on.from_socket);
  return std::ranges::any_of(readers, [&](const Link& reader) { return before.contains(reader.to); });
}

}  // namespace hw
