// Other nodes, or instances of groups, in place of those that are there.
#pragma once

#include <set>

#include "engine/graph/edit.h"
#include "engine/graph/groups/scope.h"

namespace hw {

/// Where the wires of a node go in another, by its sockets; those without a place are not there. A socket of the same
/// id or label comes first, then in order one of the same kind.
std::map<std::string, std::string> socket_places(const std::vector<SocketDecl>& from, const std::vector<SocketDecl>& to,
                                                 const std::set<std::string>& wired);

struct Replacement {
  Edits edits;                     // of the graph at the scope
  std::vector<std::string> nodes;  // that took the others' places
  std::vector<Link> lost;          // wires that have no place any more
};
/// Puts a node of `type`, which may be "group:ID", in the place of each of `nodes`: with its wires, its label and
/// flags, and those of its values that the new one takes. An instance stays under its id, so that nodes in it of the
/// same ids keep what they have learnt; so does a node of a type that is not known. `declared`: of the new ones; of a
/// group that the document may not have yet. Errors HW-G010: nothing is selected; one has a parameter that the group
/// around it promotes.
Result<Replacement> replace_nodes(const Scope& scope, const std::set<std::string>& nodes, const std::string& type,
                                  const NodeDecl& declared);

}  // namespace hw
