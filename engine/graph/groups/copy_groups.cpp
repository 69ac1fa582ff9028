#include "engine/graph/groups/copy_groups.h"

#include <algorithm>
#include <set>

#include "engine/graph/groups/group_interface.h"

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
  /// The title it gets there: its own, unless it got another id and one there is called so.
  std::string title(const Group& group) const {
    const std::string& there = ids_.find(group.id)->second;
    const auto same = [&](const auto& other) { return title_of(*other.second) == group.title; };
    const bool taken = there != group.id && std::ranges::any_of(document_.groups(), same);
    return taken ? numbered_title(group.title, there) : group.title;
  }

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
      wanted.title = group.title;
      if (wanted == other) return true;
      wanted.title = numbered_title(group.title, other.id);  // adopted before
      return other.id.starts_with(group.id + "_") && wanted == other;
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
    adopted.title = places.title(adopted);
    if (const auto other = ids.find(id); other != ids.end()) adopted.id = other->second;
    use_ids(adopted.graph, ids);
    edits.push_back(SetGroup{std::move(adopted)});
  }
  use_ids(part, ids);
  return edits;
}

std::vector<std::string> renew_groups(const Graph& document, Graph& part) {
  const auto copied = part.groups();
  Graph definitions;  // as they were copied, but where the document has them
  for (const auto* groups : {&copied, &document.groups()})
    for (const auto& [id, group] : *groups) definitions.set_group(*group);
  for (const auto& [id, group] : copied) part.remove_group(id);
  add_used_groups(definitions, part);

  std::vector<std::string> notes;
  for (const auto& [id, group] : part.groups())
    if (const auto old = copied.find(id); old != copied.end() && !(*old->second == *group))
      notes.push_back(title_of(*group) + " has changed since it was copied: the copies are as it is now.");
  for (const auto& [id, there] : std::map(part.nodes())) {
    const auto used = group_of(there);
    const Group* group = used ? part.find_group(*used) : nullptr;
    if (!group) continue;
    const NodeDecl interface = interface_of(part, *group);
    const auto leave_out = [&](const std::string& what) {
      notes.push_back(id + ": " + title_of(*group) + " has no " + what + " any more: left out.");
    };
    std::erase_if(part.node(id).params, [&](const auto& param) {
      if (interface.find_param(param.first)) return false;
      leave_out("parameter " + param.first);
      return true;
    });
    for (const Link& link : part.links()) {
      const bool into = link.to == id && !interface.find_input(link.to_socket);
      const bool from = link.from == id && !interface.find_output(link.from_socket);
      if (into || from) part.remove_link(link);
      if (into) leave_out("input " + link.to_socket);
      if (from) leave_out("output " + link.from_socket);
    }
  }
  return notes;
}

std::string numbered_title(const std::string& title, const std::string& id) {
  return title.empty() ? title : title + " " + id.substr(id.rfind('_') + 1);
}

}  // namespace hw
