#include "engine/graph/insert_cast.h"

#include <algorithm>
#include <cmath>

namespace hw {
namespace {

// Canvas units: about what a node takes on it.
constexpr double kWidth = 216, kHeader = 40, kSocket = 24, kParam = 32, kGap = 24;
constexpr size_t kMostParams = 4;

double height_of(const Node& node) {
  const NodeType* type = Registry::instance().find(node.type);
  if (!type || node.collapsed) return kHeader;
  const Declaration declared = type->declared(node.params);
  const size_t sockets = std::max(declared->inputs().size(), declared->outputs().size());
  const size_t params = std::min(kMostParams, type->decl.params().size());
  return kHeader + kSocket * static_cast<double>(sockets) + kParam * static_cast<double>(params);
}

}  // namespace

bool is_cast_target(DType dtype) {
  const NodeType* cast = Registry::instance().find("cast");
  const ParamDecl* to = cast ? cast->decl.find_param("to") : nullptr;
  return to && std::find(to->choices.begin(), to->choices.end(), name(dtype)) != to->choices.end();
}

Node cast_between(const Graph& graph, const Link& link, DType to, std::string id) {
  const Node *source = graph.find(link.from), *target = graph.find(link.to);
  Node node;
  node.id = std::move(id);
  node.type = "cast";
  node.params["to"] = std::string(name(to));
  if (source && target) {
    node.x = (source->x + target->x) / 2;
    node.y = (source->y + target->y) / 2;
  }
  return node;
}

Edits insert_cast(const Graph& graph, const Link& link, DType to) {
  Node node = cast_between(graph, link, to, graph.fresh_id("cast"));
  const std::string id = node.id;
  return {RemoveLink{link}, AddNode{std::move(node)}, AddLink{{link.from, link.from_socket, id, "x"}},
          AddLink{{id, "y", link.to, link.to_socket}}};
}

void make_room(const Graph& graph, std::span<const Node> others, Node& node) {
  std::vector<const Node*> near;  // in its column
  const auto look = [&](const Node& n) {
    if (std::abs(n.x - node.x) < kWidth && n.id != node.id) near.push_back(&n);
  };
  for (const auto& [id, n] : graph.nodes()) look(n);
  for (const Node& n : others) look(n);
  std::sort(near.begin(), near.end(), [](const Node* a, const Node* b) { return a->y < b->y; });
  const double height = height_of(node);
  for (const Node* n : near) {
    const double bottom = n->y + height_of(*n);
    if (n->y < node.y + height && node.y < bottom) node.y = bottom + kGap;
  }
}

}  // namespace hw
