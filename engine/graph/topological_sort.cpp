#include "engine/graph/topological_sort.h"

#include <algorithm>
#include <map>

namespace hw {

std::vector<std::string> topological_sort(const Graph& graph, const std::set<std::string>& nodes) {
  std::vector<std::string> order, ready;
  std::map<std::string, size_t> waiting;
  const auto counts = [&](const Link& link) { return nodes.contains(link.from) && nodes.contains(link.to); };
  for (const std::string& id : nodes) {
    const auto& links = graph.links_into(id);
    waiting[id] = static_cast<size_t>(std::count_if(links.begin(), links.end(), counts));
    if (waiting[id] == 0) ready.push_back(id);
  }
  while (!ready.empty()) {
    const std::string id = std::move(ready.back());
    ready.pop_back();
    for (const Link& link : graph.links_from(id)) {
      if (counts(link) && --waiting[link.to] == 0) ready.push_back(link.to);
    }
    order.push_back(id);
  }
  return order;
}

}  // namespace hw
