// Edits: the only way a document changes. Each can be undone by the edit it returns.
#pragma once

#include <variant>

#include "engine/graph/graph.h"

namespace hw {

struct AddNode {
  Node node;
};
struct RemoveNode {
  std::string id;
};  // takes its links with it; of the nodes tied to it the first becomes the owner of the others
struct SetParam {
  std::string node, param;
  std::optional<ParamValue> value;
};  // nullopt: back to the default
struct SetLabel {
  std::string node, label;
};
struct MoveNode {
  std::string node;
  double x = 0, y = 0;
};
struct SetFlags {
  std::string node;
  bool collapsed = false, bypassed = false;
};
struct SetFrozen {
  std::string node;
  bool frozen = false;
};
struct SetTie {
  std::string node, owner;
};  // empty owner: parameters of its own
struct SetDevice {
  std::string node, device;
};  // empty device: the graph's
struct SetWeight {
  std::string node, weight;
  std::optional<WeightFormat> format;
};  // nullopt: as the node computes
struct SetPolicy {
  Precision precision;
};
struct AddLink {
  Link link;
};  // replaces the link that is there
struct RemoveLink {
  Link link;
};
struct SetFrame {
  Frame frame;
};
struct RemoveFrame {
  std::string id;
};

using Edit = std::variant<AddNode, RemoveNode, SetParam, SetLabel, MoveNode, SetFlags, SetFrozen, SetTie, SetDevice,
                          SetWeight, SetPolicy, AddLink, RemoveLink, SetFrame, RemoveFrame>;
using Edits = std::vector<Edit>;

/// Applies in order, all or nothing. Returns the inverse, for undo_edits. Errors: unknown node, socket or parameter
/// (HW-G003, HW-G004, HW-P002), a value out of range or a dtype that cannot be stored (HW-P001), a duplicate id. A
/// wrong wire is not an error here.
Result<Edits> apply_edits(Graph& graph, const Edits& edits);

/// Takes back what apply_edits did to this very graph: applies the `inverse` that it returned. What only a file can
/// hold (a wire into an unknown socket, a parameter that the type does not have) comes back as it was.
void undo_edits(Graph& graph, const Edits& inverse);

/// Nodes whose types may have changed by these edits (edited nodes, targets of links, targets of removed nodes' links).
std::vector<std::string> touched_nodes(const Graph& before, const Edits& edits);

}  // namespace hw
