#include "engine/graph/insert_cast.h"

namespace hw {
namespace {

constexpr double kCastSpacing = 60;  // canvas units between Casts that share a place

}  // namespace

Node cast_between(const Graph& graph, const Link& link, DType to, std::string id, int place) {
  const Node *source = graph.find(link.from), *target = graph.find(link.to);
  Node node;
  node.id = std::move(id);
  node.type = "cast";
  node.params["to"] = std::string(name(to));
  if (source && target) {
    node.x = (source->x + target->x) / 2;
    node.y = (source->y + target->y) / 2 + place * kCastSpacing;
  }
  return node;
}

Edits insert_cast(const Graph& graph, const Link& link, DType to) {
  Node node = cast_between(graph, link, to, graph.fresh_id("cast"), 0);
  const std::string id = node.id;
  return {RemoveLink{link}, AddNode{std::move(node)}, AddLink{{link.from, link.from_socket, id, "x"}},
          AddLink{{id, "y", link.to, link.to_socket}}};
}

}  // namespace hw
