#include "engine/graph/graph_diff.h"

#include "engine/graph/node_fields.h"

namespace hw {
namespace {

/// The words have no part in the computation either.
constexpr NodeFields kBesideLooksAndWords = kComputed | NodeFields::file;

}  // namespace

bool equal_but_looks(const Node& a, const Node& b) {
  return equal_in(kBesideLooksAndWords | NodeFields::words, a, b);
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
      found.computation = found.computation || !equal_in(kBesideLooksAndWords, *old, node);
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
