// The nodes that edits name.
#pragma once

#include <functional>
#include <set>

#include "engine/graph/edit.h"

namespace hw {

/// Calls `visit` with each id of a node that an edit names, which it may change. The nodes of a group are none.
void for_each_node(Edit& edit, const std::function<void(std::string&)>& visit);

/// Ids of nodes that go; one that is added, too, takes the place of the one that goes.
std::set<std::string> ids_of_removed(const Edits& edits);

/// Renames added nodes that replace no other, in their order: `name` is given the node and its number.
void rename_added(Edits& edits, const std::function<std::string(const Node&, size_t)>& name);

/// Without the edits that name one of these nodes, and without what was added only to lead to them.
Edits edits_without(Edits edits, const std::set<std::string>& nodes);

}  // namespace hw
