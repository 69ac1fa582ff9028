// compare_graphs: the differences of two documents, node by node, for the user.
#pragma once

#include <map>

#include "engine/graph/graph.h"

namespace hw {

/// "width", "32", "64". A value that a node does not set is its default.
struct FieldChange {
  std::string what, before, after;
  bool operator==(const FieldChange&) const = default;
};

/// Something that only one of two documents has, or that is another in each.
struct Difference {
  enum class Kind : uint8_t { added, removed, changed } kind = Kind::changed;
  enum class Of : uint8_t { node, wire, frame, graph } of = Of::node;  // graph: its own fields, or a whole definition
  std::string id;                        // of the node or frame; of a wire: of the node it leads to
  Link link = {};                        // of a wire
  std::vector<FieldChange> fields = {};  // of what is changed; none where only the inside of an instance is
  bool inside = false;                   // an instance whose definition is another
  bool operator==(const Difference&) const = default;
};

/// The differences of two graphs, from left to right. `moved`: nodes and frames that lie elsewhere, or are collapsed,
/// and are else equal.
struct LevelComparison {
  std::vector<Difference> differences;
  std::vector<std::string> moved;
  bool operator==(const LevelComparison&) const = default;
};

/// By the id of a group's definition; "": the document's own graph. Levels without any difference are left out. A
/// definition that only one has is a difference of the document.
using GraphComparison = std::map<std::string, LevelComparison>;

/// Nodes are the same by their ids. What lies elsewhere alone is no difference: same().
GraphComparison compare_graphs(const Graph& before, const Graph& after);
bool same(const GraphComparison& comparison);

/// "node mlp (MLP)", "wire a.y → b.x", "frame Encoder", "group block", "precision policy".
std::string words_of(const Difference& difference, const Graph& level);

}  // namespace hw
