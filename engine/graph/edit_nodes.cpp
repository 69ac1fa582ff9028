#include "engine/graph/edit_nodes.h"

#include <map>

#include "engine/core/overloaded.h"
#include "engine/graph/edit_effects.h"

namespace hw {

void for_each_node(Edit& edit, const std::function<void(std::string&)>& visit) {
  const auto visit_link = [&](Link& link) {
    visit(link.from);
    visit(link.to);
  };
  std::visit(Overloaded{
                 [&](AddNode& e) {
                   std::string id = e.node->id;
                   visit(id);
                   if (id != e.node->id) e.node.change([&](Node& node) { node.id = std::move(id); });
                 },
                 [&](RemoveNode& e) { visit(e.id); },
                 [&](AddLink& e) { visit_link(e.link); },
                 [&](RemoveLink& e) { visit_link(e.link); },
                 [&](SetTie& e) {
                   visit(e.node);
                   if (!e.owner.empty()) visit(e.owner);
                 },
                 [](SetPolicy&) {},
                 [](SetWeightNames&) {},
                 [](SetFrame&) {},
                 [](RemoveFrame&) {},
                 [](SetGroup&) {},
                 [](RemoveGroup&) {},
                 [&](SetsNode auto& e) { visit(e.node); },
             },
             edit);
}

std::set<std::string> ids_of_removed(const Edits& edits) {
  std::set<std::string> removed;
  for (const Edit& edit : edits)
    if (const auto* node = std::get_if<RemoveNode>(&edit)) removed.insert(node->id);
  return removed;
}

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

Edits edits_without(Edits edits, const std::set<std::string>& nodes) {
  std::set<std::string> gone = nodes;
  for (bool changed = true; changed;) {
    changed = std::erase_if(edits, [&](Edit& edit) {
                bool names = false;
                for_each_node(edit, [&](const std::string& id) { names = names || gone.contains(id); });
                return names;
              }) > 0;
    std::set<std::string> added;
    for (const Edit& edit : edits)
      if (const auto* node = std::get_if<AddNode>(&edit)) added.insert(node->node->id);
    for (const Edit& edit : edits)
      if (const auto* wire = std::get_if<AddLink>(&edit)) added.erase(wire->link.from);
    changed = changed && !added.empty();
    gone.insert(added.begin(), added.end());
  }
  return edits;
}

}  // namespace hw
