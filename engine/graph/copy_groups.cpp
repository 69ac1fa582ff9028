#include "engine/graph/copy_groups.h"

#include <algorithm>
#include <set>

namespace hw {
namespace {

using Ids = std::map<std::string, std::string, std::less<>>;

void use_ids(Graph& graph, const Ids& ids) {
  std::vector<std::pair<std::string, std::string>> types;  // by node
  for (const auto& [id, node] : graph.nodes()) {
    const auto group = group_of(node);
    if (const auto other = group ? ids.find(*group) : ids.end(); other != ids.end())
      types.emplace_back(id, "group:" + other->second);
  }
  for (auto& [id, type] : types) graph.node(id).type = std::move(type);
}

/// Where the groups of `part` are, or go, in a document, by the ids that they have in `part`.
class Places {
 public:
  Places(const Graph& document, const Graph& part) : document_(document), part_(part) {
    for (const auto& [id, group] : part.groups()) place(*group);
  }
  /// Those that get another id.
  Ids others() const {
    Ids ids;
    for (const auto& [id, there] : ids_)
      if (id != there) ids[id] = there;
    return ids;
  }
  bool is_new(const std::string& id) const { return new_.contains(ids_.find(id)->second); }

 private:
  void place(const Group& group) {
    if (ids_.contains(group.id)) return;
    Ids inner;
    for (const auto& [id, node] : group.graph.nodes()) {
      const auto used = group_of(node);
      const Group* definition = used ? part_.find_group(*used) : nullptr;
      if (!definition) continue;
      place(*definition);
      if (const std::string& there = ids_.find(*used)->second; there != *used) inner[std::string(*used)] = there;
    }
    Group wanted = group;
    use_ids(wanted.graph, inner);
    const auto is_it = [&](const Group& other) {
      wanted.id = other.id;
      return wanted == other;
    };
    if (const Group* same = document_.find_group(group.id); same && is_it(*same)) {
      ids_[group.id] = group.id;
      return;
    }
    for (const auto& [id, other] : document_.groups()) {
      if (!is_it(*other)) continue;
      ids_[group.id] = id;
      return;
    }
    const auto taken = [&](const std::string& id) {
      return document_.find_group(id) || new_.contains(id) || (id != group.id && part_.find_group(id));
    };
    std::string free = group.id;
    for (int n = 2; taken(free); ++n) free = group.id + "_" + std::to_string(n);
    ids_[group.id] = free;
    new_.insert(free);
  }

  const Graph& document_;
  const Graph& part_;
  Ids ids_;
  std::set<std::string> new_;
};

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
  const Places places(document, part);
  const Ids ids = places.others();
  Edits edits;
  for (const auto& [id, group] : part.groups()) {
    if (!places.is_new(id)) continue;
    Group adopted = *group;
    if (const auto other = ids.find(id); other != ids.end()) adopted.id = other->second;
    use_ids(adopted.graph, ids);
    edits.push_back(SetGroup{std::move(adopted)});
  }
  use_ids(part, ids);
  return edits;
}

}  // namespace hw
