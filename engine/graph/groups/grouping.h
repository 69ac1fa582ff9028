// Nodes into groups, and out of them.
#pragma once

#include <set>

#include "engine/graph/edit.h"
#include "engine/graph/groups/moved_nodes.h"
#include "engine/graph/groups/scope.h"

namespace hw {

/// Instances of a group in the document and in its definitions, each definition counted once.
size_t count_instances(const Graph& document, std::string_view group);

struct NewGroup {
  Edits edits;           // of the graph at the scope
  std::string instance;  // id
  MovedNodes moved;      // from ids at the scope to paths from it
};
/// Puts nodes into a group of their own, with an instance in their place. A socket of the group stands for each output
/// from outside that they read, and for each of theirs that is read outside. Inputs and Outputs stay where they are.
/// These frames go with them. Its title is "Group", or "Group 2" where there is one. Errors HW-G010: no nodes are left;
/// weights are shared across the border; one has a parameter that the group around it promotes.
Result<NewGroup> make_group(const Scope& scope, const std::set<std::string>& nodes,
                            const std::set<std::string>& frames = {});

struct Ungrouped {
  Edits edits;                      // of the graph at the scope
  std::vector<std::string> nodes;   // that took the instances' places
  std::vector<std::string> frames;  // that came with them
  MovedNodes moved;                 // from paths at the scope to ids
};
/// The nodes and frames of its group in place of each instance, with the values that it gives them, where they lay. A
/// definition goes with its last instance. Errors HW-G010: one is no instance; is bypassed; shares weights with
/// another; the group around it promotes a parameter of it.
Result<Ungrouped> ungroup(const Scope& scope, const std::set<std::string>& instances);

/// A copy of its definition for an instance alone. Errors HW-G010: it is no instance; it shares weights with another.
Result<Edits> make_unique_group(const Scope& scope, const std::string& instance);

/// The paths of nodes that moved at the scope; where the graph there is a group's, those in all its instances.
MovedNodes moved_in_document(const Scope& scope, const MovedNodes& moved);

}  // namespace hw
