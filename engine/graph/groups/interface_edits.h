// Edits of what a group's instances have: its sockets and parameters. See group_interface.h.
#pragma once

#include "engine/graph/edit.h"
#include "engine/graph/groups/scope.h"

namespace hw {

struct NewSocket {
  Edits edits;     // of the graph at the scope
  std::string id;  // of the Input or Output that was added
};
/// A new socket of the group that the graph at `inside` is, wired to a socket of a node in it and called like it: an
/// Output of the group for an output, an Input for an input, whose wire it takes. Below the sockets that there are. At
/// the document it is one of the graph. Error HW-G004: there is no such socket.
Result<NewSocket> add_group_socket(const Scope& inside, const std::string& node, const std::string& socket,
                                   bool is_output);

/// Gives an Input or Output of the group another place among those of its side, by moving their nodes among the places
/// that these have. The edits are of the group's graph.
Edits move_group_socket(const Group& group, const std::string& socket, size_t place);

/// Gives a parameter of the group another place among them.
Group with_param_moved(Group group, const std::string& param, size_t place);
/// Calls it so; empty: as the node in the group calls it.
Group with_param_named(Group group, const std::string& param, const std::string& label);
/// Its value where an instance gives none; nothing: that of the node's type. Errors: those of apply_edits().
Result<Group> with_param_default(Group group, const std::string& param, const std::optional<ParamValue>& value);

}  // namespace hw
