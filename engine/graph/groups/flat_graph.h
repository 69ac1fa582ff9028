// FlatGraph: the flattened graph of a document, kept up to date edit by edit.
#pragma once

#include "engine/graph/edit.h"

namespace hw {

/// What edits changed in a flattened graph.
struct FlatChange {
  std::vector<std::string>
      nodes;  // whose types may be others: edited ones, targets of wires, those before and behind removed ones
  std::vector<std::string> rewired;  // of these: the wires into them are others, or come from another node
};

/// Not thread safe. The cost of update() is that of the nodes that an edit touches: of a wire or a value of an instance
/// those it leads to, of a definition all nodes of its instances.
class FlatGraph {
 public:
  const Graph& graph() const { return flat_; }
  void reset(const Graph& document);
  /// After these edits (or the inverse of some) made `document` what it is.
  FlatChange update(const Graph& document, const Edits& edits);

 private:
  /// Whether there is, and was, no group at the path: its nodes are the document's, its wires stay with them.
  bool is_plain(const Graph& document, const std::string& path) const;
  /// Makes the nodes at and below a path what they are in the document.
  void refresh(const Graph& document, const std::string& path);
  void refresh_plain(const Graph& document, const std::string& path);
  /// Makes this node of the flattened graph, and the wires into it, these; `after` null: there is none.
  void replace(const std::string& id, const Node* after, const std::vector<Link>& links);
  /// What is no node: frames, precision; and where nodes lie.
  void copy_plain(const Graph& document, const Edit& edit);
  Graph flat_;
  bool nested_ = false;                         // there may be something within groups
  std::vector<std::string> touched_, rewired_;  // in any order, some of them twice
};

}  // namespace hw
