#include "engine/graph/check/check_upstream.h"

#include <algorithm>

#include "engine/graph/check/pass_through.h"

namespace hw {
namespace {

/// The wire whose value a node hands on as this output; nothing: it computes it.
std::optional<Link> handed_on(const Graph& graph, const std::string& id, const std::string& output) {
  const Node* node = graph.find(id);
  const NodeType* type =
      node && (node->bypassed || is_pass_through(*node)) ? Registry::instance().find(node->type) : nullptr;
  if (!type) return std::nullopt;
  const Declaration declared = type->declared(node->params);
  const SocketDecl* made = declared->find_output(output);
  for (const SocketDecl& input : declared->inputs()) {
    if (!made || input.kind != made->kind) continue;
    const auto links = graph.links_into(id, input.id);
    if (!links.empty()) return links.front();
  }
  return std::nullopt;
}

/// The wires that what a node hands on depends on.
std::vector<Link> wires_into(const Graph& graph, const std::string& id) {
  const Node* node = graph.find(id);
  if (!node || !node->bypassed) return graph.links_into(id);
  std::vector<Link> handed;
  for (const Link& reader : graph.links_from(id))
    if (auto link = handed_on(graph, id, reader.from_socket)) handed.push_back(*std::move(link));
  return handed;
}

/// A wire from where the value of `wire` is computed.
Link computed(const Graph& graph, Link wire) {
  std::unordered_set<std::string> seen;  // a bypassed node may lie on a cycle
  while (seen.insert(wire.from).second) {
    auto link = handed_on(graph, wire.from, wire.from_socket);
    if (!link) break;
    wire = *std::move(link);
  }
  return wire;
}

template <class Visit>
std::unordered_set<std::string> walk_upstream(const Graph& graph, const std::string& node, Visit visit) {
  std::unordered_set<std::string> seen{node};
  std::vector<std::string> stack{node};
  while (!stack.empty()) {
    const std::string id = std::move(stack.back());
    stack.pop_back();
    for (const Link& link : wires_into(graph, id)) {
      visit(link);
      if (seen.insert(link.from).second) stack.push_back(link.from);
    }
  }
  return seen;
}

}  // namespace

std::unordered_set<std::string> upstream_nodes(const Graph& graph, const std::string& node) {
  return walk_upstream(graph, node, [](const Link&) {});
}

bool depends_on(const Graph& graph, const Link& wire, const Link& on) {
  const Link source = computed(graph, on), end = computed(graph, wire);
  bool found = end.from == source.from && end.from_socket == source.from_socket;
  walk_upstream(graph, end.from, [&](const Link& link) {
    found = found || (link.from == source.from && link.from_socket == source.from_socket);
  });
  return found;
}

}  // namespace hw
