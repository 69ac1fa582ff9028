// The nodes that edits name.
#pragma once

#include <functional>
#include <set>

#include "engine/graph/edit.h"

namespace hw {

/// Calls `visit` with each id of a node that an edit names, which it may change. The nodes of a group are none.
void for_each_node(Edit& edit, const std::function<void(std::string&)>& visit);

/// Without the edits that name one of these nodes, and without what was added only to lead to them.
Edits edits_without(Edits edits, const std::set<std::string>& nodes);

}  // namespace hw
