// What edits change, by kind: the one table that all asks that follows edits.
#pragma once

#include <concepts>

#include "engine/graph/edit.h"

namespace hw {

struct Effects {
  bool nodes = false;    // some come or go
  bool wires = false;    // some come or go
  bool values = false;   // a node that stays computes something else, or elsewhere, or learns otherwise
  bool dtypes = false;   // dtypes may meet anew: a policy looks again
  bool looks = false;    // where a node lies, how it is shown and called
  bool frames = false;   // some come, go or change
  bool groups = false;   // definitions, and so the nodes of instances
  bool policy = false;   // of the graph as a whole
  bool weights = false;  // names of weights in files, of the graph as a whole
  /// A run lowers again, and what was checked is stale.
  bool structure() const { return nodes || wires || values || groups; }
  bool operator==(const Effects&) const = default;
};

/// What edits of this kind may change.
Effects may_change(const Edit& edit);

/// What this very edit changes in the graph as it is before it. Its cost does not grow with the graph.
Effects effects_of(const Graph& before, const Edit& edit);

/// Whether one of these edits makes dtypes meet anew in the graph as it is before all of them.
bool change_dtypes(const Graph& before, const Edits& edits);

/// An edit that sets something of one node, which stays.
template <class E>
concept SetsNode = requires(E& e) {
  { e.node } -> std::same_as<std::string&>;
};

/// The node that such an edit names; null: the edit is none.
const std::string* node_set_by(const Edit& edit);

}  // namespace hw
