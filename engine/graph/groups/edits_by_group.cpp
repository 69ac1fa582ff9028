#include "engine/graph/groups/edits_by_group.h"

#include <set>
#include <tuple>

#include "engine/core/codes.h"
#include "engine/graph/edit_nodes.h"
#include "engine/graph/groups/scope.h"

namespace hw {
namespace {

/// "one/a/" of "one/a/linear".
std::string prefix_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash + 1);
}

/// A socket of a group, seen from outside: {"one", "x"} of {"one/x", "x"}.
void leave_group(const Graph& document, std::string& node, std::string& socket, const char* type) {
  const std::string prefix = prefix_of(node);
  const Group* group = definition_behind(document, prefix);
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

Edits without_weights(Edits edits) {
  std::erase_if(edits, [](const Edit& edit) { return std::holds_alternative<SetWeight>(edit); });
  return edits;
}

/// An instance that uses another's parameters has none whose storage edits could set: where all other edits are the
/// same, those of the other are its own.
void take_weights_of_owners(const Graph& document, std::map<std::string, Edits>& parts) {
  for (auto& [prefix, part] : parts) {
    if (prefix.empty()) continue;
    const NodePlace instance(document, prefix.substr(0, prefix.size() - 1));
    const auto within = instance.node ? enter(instance.scope(), *instance.node) : std::nullopt;
    const auto owner = within ? parts.find(within->tied) : parts.end();
    if (owner != parts.end() && without_weights(owner->second) == without_weights(part)) part = owner->second;
  }
}

/// Takes their places from nodes that are added in a wire: each instance lies elsewhere in the flattened graph.
void forget_places(Edits& edits) {
  std::set<std::string> added, read, reading;
  for (const Edit& edit : edits) {
    if (const auto* node = std::get_if<AddNode>(&edit)) added.insert(node->node->id);
    if (const auto* wire = std::get_if<AddLink>(&edit)) {
      if (!added.contains(wire->link.from)) reading.insert(wire->link.to);
      if (!added.contains(wire->link.to)) read.insert(wire->link.from);
    }
  }
  for (Edit& edit : edits) {
    auto* node = std::get_if<AddNode>(&edit);
    if (node && reading.contains(node->node->id) && read.contains(node->node->id))
      node->node.change([](Node& n) { n.x = n.y = 0; });
  }
}

}  // namespace

const Group* definition_behind(const Graph& document, const std::string& prefix) {
  if (prefix.empty()) return nullptr;
  const NodePlace instance(document, prefix.substr(0, prefix.size() - 1));
  const auto id = instance.node ? group_of(*instance.node) : std::nullopt;
  return id ? document.find_group(*id) : nullptr;
}

Result<std::map<std::string, Edits>> edits_by_group(const Graph& document, const Edits& edits,
                                                    const std::set<std::pair<std::string, std::string>>& own) {
  Edits lifted = edits;
  leave_groups(document, lifted);
  for (Edit& edit : lifted) {
    const auto* set = std::get_if<SetParam>(&edit);
    if (!set || !own.contains({set->node, set->param})) set_at_instance(document, edit);
  }
  HW_TRY(auto parts, split(std::move(lifted)));
  for (auto& [prefix, part] : parts) {
    if (prefix.empty()) continue;
    rename_added(part, [](const Node&, size_t number) { return "+" + std::to_string(number); });
    forget_places(part);
  }
  take_weights_of_owners(document, parts);
  return parts;
}

}  // namespace hw
