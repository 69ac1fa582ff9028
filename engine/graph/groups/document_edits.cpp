#include "engine/graph/groups/document_edits.h"

#include <functional>
#include <map>
#include <set>

#include "engine/core/codes.h"
#include "engine/core/overloaded.h"
#include "engine/graph/edit_nodes.h"
#include "engine/graph/groups/edits_by_group.h"
#include "engine/graph/groups/scope.h"
#include "engine/graph/insert_cast.h"

namespace hw {
namespace {

/// Gives added nodes ids that are free in `graph`, by these stems where they are.
void free_ids(const Graph& graph, Edits& edits, const std::function<std::string(const Node&)>& stem) {
  const std::set<std::string> removed = ids_of_removed(edits);
  std::set<std::string> taken;
  rename_added(edits, [&](const Node& node, size_t) {
    const auto is_taken = [&](const std::string& id) {
      return taken.contains(id) || (graph.find(id) && !removed.contains(id));
    };
    std::string free = stem(node);
    for (int n = 2; is_taken(free); ++n) free = stem(node) + "_" + std::to_string(n);
    taken.insert(free);
    return free;
  });
}

/// Added nodes in a wire of `graph` lie half-way between its ends, where `is_placed` says so of these.
void place_in_wires(const Graph& graph, Edits& edits,
                    const std::function<bool(const Node& from, const Node& to)>& is_placed) {
  struct Ends {
    const Node *from = nullptr, *to = nullptr;
  };
  std::map<std::string, Ends> ends;
  for (const Edit& edit : edits) {
    const auto* added = std::get_if<AddLink>(&edit);
    if (!added) continue;
    const Node *from = graph.find(added->link.from), *to = graph.find(added->link.to);
    if (from && !to) ends[added->link.to].from = from;
    if (to && !from) ends[added->link.from].to = to;
  }
  Room room(graph);
  for (Edit& edit : edits) {
    auto* added = std::get_if<AddNode>(&edit);
    const auto found = added ? ends.find(added->node->id) : ends.end();
    if (found == ends.end() || !found->second.from || !found->second.to) continue;
    const Node &from = *found->second.from, &to = *found->second.to;
    if (!is_placed(from, to)) continue;
    added->node.change([&](Node& node) {
      node.x = (from.x + to.x) / 2;
      node.y = (from.y + to.y) / 2;
      room.take(node);
    });
  }
}

}  // namespace

Result<Edits> document_edits(const Graph& document, const Edits& edits) {
  HW_TRY(auto parts, edits_by_group(document, edits));
  std::map<std::string, Edits> of_groups;
  Edits own;
  for (auto& [prefix, part] : parts) {
    if (prefix.empty()) {
      free_ids(document, part, [](const Node& node) { return node.id; });
      // The ends of an instance's wires lie in the group in the flattened graph.
      place_in_wires(document, part, [](const Node& from, const Node& to) { return group_of(from) || group_of(to); });
      own = std::move(part);
      continue;
    }
    const Group* group = definition_behind(document, prefix);
    if (!group) return Error{codes::bad_group, prefix, "there is no such group.", ""};
    const auto [other, is_first] = of_groups.try_emplace(group->id, part);
    if (!is_first && other->second != part)
      return Error{codes::bad_group, prefix.substr(0, prefix.size() - 1),
                   "this would change instances of the group \"" + group->id + "\" in different ways.",
                   "Give the instances the same inputs, or groups of their own."};
  }
  Edits all;
  for (auto& [id, part] : of_groups) {
    Group changed = *document.find_group(id);
    free_ids(changed.graph, part, [](const Node& node) { return node.type; });
    place_in_wires(changed.graph, part, [](const Node&, const Node&) { return true; });
    HW_CHECK(apply_edits(changed.graph, part));
    std::erase_if(changed.params, [&](const PromotedParam& p) { return !changed.graph.find(p.node); });
    all.push_back(SetGroup{std::move(changed)});
  }
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

Status apply_flat_edits(Graph& document, const Edits& edits) {
  HW_TRY(const Edits own, document_edits(document, edits));
  HW_CHECK(apply_edits(document, own));
  return ok();
}

}  // namespace hw
