// Edits: the only way a document changes. Each can be undone by the edit it returns.
#pragma once

#include <variant>

#include "engine/core/shared.h"
#include "engine/graph/graph.h"

namespace hw {

struct AddNode {
  Shared<Node> node;
  bool operator==(const AddNode&) const = default;
};
struct RemoveNode {
  std::string id;
  bool operator==(const RemoveNode&) const = default;
};  // takes its links with it; of the nodes tied to it the first becomes the owner of the others
struct SetParam {
  std::string node, param;
  std::optional<ParamValue> value;
  bool operator==(const SetParam&) const = default;
};  // nullopt: back to the default
struct SetLabel {
  std::string node, label;
  bool operator==(const SetLabel&) const = default;
};
struct MoveNode {
  std::string node;
  double x = 0, y = 0;
  bool operator==(const MoveNode&) const = default;
};
struct SetFlags {
  std::string node;
  bool collapsed = false, bypassed = false;
  bool operator==(const SetFlags&) const = default;
};
struct SetPreview {
  std::string node;
  std::optional<bool> on;
  bool operator==(const SetPreview&) const = default;
};  // nullopt: as its type says
struct SetFrozen {
  std::string node;
  bool frozen = false;
  bool operator==(const SetFrozen&) const = default;
};
struct SetTie {
  std::string node, owner;
  bool operator==(const SetTie&) const = default;
};  // empty owner: parameters of its own
struct SetDevice {
  std::string node, device;
  bool operator==(const SetDevice&) const = default;
};  // empty device: the graph's
struct SetWeight {
  std::string node, weight;
  std::optional<WeightFormat> format;
  bool operator==(const SetWeight&) const = default;
};  // nullopt: as the node computes
struct SetPolicy {
  Precision precision;
  bool operator==(const SetPolicy&) const = default;
};
struct SetWeightNames {
  std::map<std::string, std::string> names;
  bool operator==(const SetWeightNames&) const = default;
};  // of all parameters: see Graph::weight_names
struct AddLink {
  Link link;
  bool operator==(const AddLink&) const = default;
};  // replaces the link that is there
struct RemoveLink {
  Link link;
  bool operator==(const RemoveLink&) const = default;
};
struct SetFrame {
  Frame frame;
  bool operator==(const SetFrame&) const = default;
};
struct RemoveFrame {
  std::string id;
  bool operator==(const RemoveFrame&) const = default;
};
struct SetGroup {
  Shared<Group> group;
  bool operator==(const SetGroup&) const = default;
};  // the definition as a whole: instances follow it
struct RemoveGroup {
  std::string id;
  bool operator==(const RemoveGroup&) const = default;
};

using Edit = std::variant<AddNode, RemoveNode, SetParam, SetLabel, MoveNode, SetFlags, SetPreview, SetFrozen, SetTie,
                          SetDevice, SetWeight, SetPolicy, SetWeightNames, AddLink, RemoveLink, SetFrame, RemoveFrame,
                          SetGroup, RemoveGroup>;
using Edits = std::vector<Edit>;

/// Applies in order, all or nothing. Returns the inverse, for undo_edits. Errors: unknown node, socket or parameter
/// (HW-G003, HW-G004, HW-P002), a value out of range or a dtype that cannot be stored (HW-P001), a duplicate id, a
/// group that would contain itself or be too large (HW-G010). A wrong wire is not an error here.
Result<Edits> apply_edits(Graph& graph, const Edits& edits);

/// Takes back what apply_edits did to this very graph: applies the `inverse` that it returned. What only a file can
/// hold (a wire into an unknown socket, a parameter that the type does not have) comes back as it was.
void undo_edits(Graph& graph, const Edits& inverse);

}  // namespace hw
