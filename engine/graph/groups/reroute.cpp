#include "engine/graph/groups/reroute.h"

#include <cmath>
#include <map>
#include <set>

#include "engine/graph/groups/scope.h"

namespace hw {

std::optional<Link> source_of(const Graph& graph, Link link) {
  std::set<std::string> seen;
  for (const Node* from = graph.find(link.from); from; from = graph.find(link.from)) {
    if (from->type != kRerouteType) return link;
    const auto before = graph.links_into(from->id);
    if (before.empty() || !seen.insert(from->id).second) return std::nullopt;
    link = before.front();
  }
  return std::nullopt;
}

NewReroutes add_reroutes(const Graph& graph, const std::vector<CrossedLink>& crossed) {
  std::map<std::pair<std::string, std::string>, std::vector<CrossedLink>> by_output;
  for (const CrossedLink& c : crossed) by_output[{c.link.from, c.link.from_socket}].push_back(c);
  NewReroutes made;
  Graph taken = graph;  // to find ids that are free together
  for (const auto& [output, links] : by_output) {
    Node dot;
    dot.id = taken.fresh_id(kRerouteType);
    dot.type = kRerouteType;
    for (const CrossedLink& c : links) {
      dot.x += c.x / static_cast<double>(links.size());
      dot.y += c.y / static_cast<double>(links.size());
    }
    dot.x = std::round(dot.x);
    dot.y = std::round(dot.y);
    taken.add_node(dot);
    made.nodes.push_back(dot.id);
    made.edits.push_back(AddNode{dot});
    made.edits.push_back(AddLink{{output.first, output.second, dot.id, "x"}});
    for (const CrossedLink& c : links) {
      made.edits.push_back(RemoveLink{c.link});
      made.edits.push_back(AddLink{{dot.id, "y", c.link.to, c.link.to_socket}});
    }
  }
  return made;
}

}  // namespace hw
