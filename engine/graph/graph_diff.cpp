#include "engine/graph/graph_diff.h"

namespace hw {
namespace {

/// Without what has no part in the computation.
Node without_looks(Node node) {
  node.x = node.y = 0;
  node.collapsed = false;
  node.preview.reset();
  node.label.clear();
  return node;
}

}  // namespace

bool equal_but_place(const Node& a, const Node& b) {
  Node there = a;
  there.x = b.x;
  there.y = b.y;
  there.collapsed = b.collapsed;
  there.preview = b.preview;
  return there == b;
}

GraphDiff diff(const Graph& before, const Graph& after) {
  GraphDiff found;
  for (const auto& [id, node] : before.nodes()) {
    const Node* now = after.find(id);
    if (!now || now->type != node.type) found.removed.push_back(id);
  }
  for (const auto& [id, node] : after.nodes()) {
    const Node* old = before.find(id);
    if (!old || old->type != node.type) {
      found.added.push_back(id);
    } else if (*old != node) {
      found.changed.push_back(id);
      found.computation = found.computation || without_looks(*old) != without_looks(node);
    }
  }
  for (const Link& link : before.links())
    if (!after.has_link(link)) found.links.push_back(link);
  for (const Link& link : after.links())
    if (!before.has_link(link)) found.links.push_back(link);
  found.computation = found.computation || !found.links.empty() || !found.added.empty() || !found.removed.empty();
  return found;
}

}  // namespace hw
