// Edits of the flattened graph by the groups that they change.
#pragma once

#include <map>
#include <set>

#include "engine/graph/edit.h"

namespace hw {

/// The definition of the instance at a path that ends with "/", as "one/a/"; null: there is none.
const Group* definition_behind(const Graph& document, const std::string& prefix);

/// The edits, made for flatten(document), by the path of the instance whose nodes they change, "one/a/"; "": of the
/// document. Nodes in groups by their ids there; added ones by "+0", "+1" … in their order,
/// without a place where they are added in a wire. Wires to and from sockets
/// of a group are those of its instance, and so are settings that it gives its nodes, but for those of `own`, nodes'
/// paths and parameters. Error HW-G010: one would change several groups at once.
Result<std::map<std::string, Edits>> edits_by_group(const Graph& document, const Edits& edits,
                                                    const std::set<std::pair<std::string, std::string>>& own = {});

}  // namespace hw
