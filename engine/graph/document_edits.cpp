#include "engine/graph/document_edits.h"

#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "engine/core/codes.h"
#include "engine/core/overloaded.h"
#include "engine/graph/edit_nodes.h"
#include "engine/graph/insert_cast.h"
#include "engine/graph/scope.h"

namespace hw {
namespace {

/// "one/a/" of "one/a/linear".
std::string prefix_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash + 1);
}

/// The definition behind a prefix; null: none.
const Group* definition_at(const Graph& document, const std::string& prefix) {
  if (prefix.empty()) return nullptr;
  const NodePlace instance(document, prefix.substr(0, prefix.size() - 1));
  const auto id = instance.node ? group_of(*instance.node) : std::nullopt;
  return id ? document.find_group(*id) : nullptr;
}

/// A socket of a group, seen from outside: {"one", "x"} of {"one/x", "x"}.
void leave_group(const Graph& document, std::string& node, std::string& socket, const char* type) {
  const std::string prefix = prefix_of(node);
  const Group* group = definition_at(document, prefix);
  const Node* inside = group ? group->graph.find(std::string_view(node).substr(prefix.size())) : nullptr;
  if (!inside || inside->type != type) return;
  socket = inside->id;
  node = prefix.substr(0, prefix.size() - 1);
}

void leave_groups(const Graph& document, Edits& edits) {
  const auto leave = [&](Link& link) {
    leave_group(document, link.from, link.from_socket, kOutputType);
    leave_group(document, link.to, link.to_socket, kInputType);
  };
  for (Edit& edit : edits) {
    if (auto* added = std::get_if<AddLink>(&edit)) leave(added->link);
    if (auto* removed = std::get_if<RemoveLink>(&edit)) leave(removed->link);
  }
}

std::string path_of(const Scope& inside) {
  return inside.outer->prefix + inside.instance->id;
}

/// A setting that an instance gives its nodes is a setting of the instance.
void set_at_instance(const Graph& document, Edit& edit) {
  const auto place_of = [&](const std::string& id) { return NodePlace(document, id); };
  if (auto* set = std::get_if<SetParam>(&edit)) {
    if (const NodePlace place = place_of(set->node); place.node)
      std::tie(set->node, set->param) = set->value ? promoted_at(place.scope(), *place.node, set->param)
                                                   : value_source(place.scope(), *place.node, set->param);
  } else if (auto* device = std::get_if<SetDevice>(&edit)) {
    const NodePlace place = place_of(device->node);
    if (!place.node || !place.node->device.empty() || place.scope().device.empty()) return;
    const Scope* inside = &place.scope();
    while (inside->instance->device.empty()) inside = inside->outer;
    device->node = path_of(*inside);
  } else if (auto* tie = std::get_if<SetTie>(&edit); tie && tie->owner.empty()) {
    const NodePlace place = place_of(tie->node);
    if (!place.node) return;
    for (const Scope& scope : place.scopes) {
      if (!scope.instance || scope.instance->tie.empty()) continue;
      tie->node = path_of(scope);
      return;
    }
  }
}

/// Ids of nodes that go; one that is added, too, takes the place of the one that goes.
std::set<std::string> ids_of_removed(const Edits& edits) {
  std::set<std::string> removed;
  for (const Edit& edit : edits)
    if (const auto* node = std::get_if<RemoveNode>(&edit)) removed.insert(node->id);
  return removed;
}

Error several_groups(const std::string& where) {
  return {codes::bad_group, where, "this would change several groups at once.", "Change them one by one."};
}

/// Where added nodes belong, by id: to the nodes that they are wired to. Those wired to none: to the only group that is
/// changed, else to the document.
Result<std::map<std::string, std::string>> homes_of_added(Edits& edits) {
  std::map<std::string, std::optional<std::string>> homes;
  std::set<std::string> prefixes;
  const std::set<std::string> removed = ids_of_removed(edits);
  for (const Edit& edit : edits)
    if (const auto* added = std::get_if<AddNode>(&edit); added && !removed.contains(added->node->id))
      homes[added->node->id];
  for (Edit& edit : edits) {
    for_each_node(edit, [&](const std::string& id) {
      if (!homes.contains(id)) prefixes.insert(prefix_of(id));
    });
  }
  const auto home = [&](const std::string& id) -> std::optional<std::string> {
    const auto added = homes.find(id);
    return added == homes.end() ? prefix_of(id) : added->second;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Edit& edit : edits) {
      const auto* wire = std::get_if<AddLink>(&edit);
      if (!wire) continue;
      const auto from = home(wire->link.from), to = home(wire->link.to);
      if (from && to && *from != *to) return several_groups(from->empty() ? *to : *from);
      if (!from == !to) continue;
      homes[from ? wire->link.to : wire->link.from] = from ? from : to;
      changed = true;
    }
  }
  std::map<std::string, std::string> all;
  for (const auto& [id, prefix] : homes)
    all[id] = prefix ? *prefix : prefixes.size() == 1 ? *prefixes.begin() : std::string();
  return all;
}

/// The edits by the prefix of their nodes, which is taken off.
Result<std::map<std::string, Edits>> split(Edits edits) {
  HW_TRY(const auto added, homes_of_added(edits));
  std::map<std::string, Edits> parts;
  for (Edit& edit : edits) {
    std::set<std::string> prefixes;
    for_each_node(edit, [&](std::string& id) {
      const auto home = added.find(id);
      const std::string prefix = home == added.end() ? prefix_of(id) : home->second;
      if (home == added.end()) id.erase(0, prefix.size());
      prefixes.insert(prefix);
    });
    if (prefixes.size() > 1) return several_groups(*prefixes.rbegin());
    parts[prefixes.empty() ? "" : *prefixes.begin()].push_back(std::move(edit));
  }
  return parts;
}

/// Renames added nodes that take nobody's place, in their order: `name` is given the node and its number.
void rename_added(Edits& edits, const std::function<std::string(const Node&, size_t)>& name) {
  std::map<std::string, std::string> names;
  const std::set<std::string> removed = ids_of_removed(edits);
  for (const Edit& edit : edits) {
    if (const auto* added = std::get_if<AddNode>(&edit); added && !removed.contains(added->node->id)) {
      const size_t number = names.size();
      names[added->node->id] = name(*added->node, number);
    }
  }
  for (Edit& edit : edits) {
    for_each_node(edit, [&](std::string& id) {
      if (const auto other = names.find(id); other != names.end()) id = other->second;
    });
  }
}

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

/// Added nodes in a wire of an instance lie half-way between the ends that it has in `graph`: those of the flattened
/// graph lie in the group.
void place_beside_instances(const Graph& graph, Edits& edits) {
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
    if (!group_of(from) && !group_of(to)) continue;
    added->node.change([&](Node& node) {
      node.x = (from.x + to.x) / 2;
      node.y = (from.y + to.y) / 2;
      room.take(node);
    });
  }
}

}  // namespace

Result<Edits> document_edits(const Graph& document, const Edits& edits) {
  Edits lifted = edits;
  leave_groups(document, lifted);
  for (Edit& edit : lifted) set_at_instance(document, edit);
  HW_TRY(auto parts, split(std::move(lifted)));
  std::map<std::string, Edits> of_groups;
  Edits own;
  for (auto& [prefix, part] : parts) {
    if (prefix.empty()) {
      free_ids(document, part, [](const Node& node) { return node.id; });
      place_beside_instances(document, part);
      own = std::move(part);
      continue;
    }
    const Group* group = definition_at(document, prefix);
    if (!group) return Error{codes::bad_group, prefix, "there is no such group.", ""};
    rename_added(part, [](const Node&, size_t number) { return "+" + std::to_string(number); });
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
    place_beside_instances(changed.graph, part);
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
