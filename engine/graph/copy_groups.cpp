#include "engine/graph/copy_groups.h"

#include <algorithm>

namespace hw {
namespace {

using Ids = std::map<std::string, std::string, std::less<>>;

bool uses_any(const Graph& graph, const Ids& groups) {
  return std::ranges::any_of(graph.nodes(), [&](const auto& entry) {
    const auto group = group_of(entry.second);
    return group && groups.contains(*group);
  });
}

/// Ids for groups of `part` that the document has otherwise, or whose own groups get others.
Ids other_ids(const Graph& document, const Graph& part) {
  Ids ids;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [id, group] : part.groups()) {
      const Group* there = document.find_group(id);
      if (!there || ids.contains(id) || (*there == *group && !uses_any(group->graph, ids))) continue;
      std::string free = id;
      for (int n = 2; document.find_group(free) || part.find_group(free); ++n) free = id + "_" + std::to_string(n);
      ids[id] = free;
      changed = true;
    }
  }
  return ids;
}

void use_ids(Graph& graph, const Ids& ids) {
  std::vector<std::pair<std::string, std::string>> types;  // by node
  for (const auto& [id, node] : graph.nodes()) {
    const auto group = group_of(node);
    if (const auto other = group ? ids.find(*group) : ids.end(); other != ids.end())
      types.emplace_back(id, "group:" + other->second);
  }
  for (auto& [id, type] : types) graph.node(id).type = std::move(type);
}

}  // namespace

void add_used_groups(const Graph& from, Graph& part) {
  std::vector<const Graph*> open{&part};
  std::vector<std::shared_ptr<const Group>> used;
  while (!open.empty()) {
    const Graph* graph = open.back();
    open.pop_back();
    for (const auto& [id, node] : graph->nodes()) {
      const auto group = group_of(node);
      const auto found = group ? from.groups().find(*group) : from.groups().end();
      if (found == from.groups().end() || std::ranges::find(used, found->second) != used.end()) continue;
      used.push_back(found->second);
      open.push_back(&found->second->graph);
    }
  }
  for (const auto& group : used) part.set_group(*group);
}

Edits adopt_groups(const Graph& document, Graph& part) {
  const Ids ids = other_ids(document, part);
  use_ids(part, ids);
  Edits edits;
  for (const auto& [id, group] : part.groups()) {
    const auto other = ids.find(id);
    if (other == ids.end() && document.find_group(id)) continue;
    Group adopted = *group;
    if (other != ids.end()) adopted.id = other->second;
    use_ids(adopted.graph, ids);
    edits.push_back(SetGroup{std::move(adopted)});
  }
  return edits;
}

}  // namespace hw
