// DtypeFlow: which dtypes in a graph are chosen, which follow, and which wires then need a Cast.
#pragma once

#include <functional>

#include "engine/graph/edit.h"

namespace hw {

/// A dtype of a node: of a dtype parameter that sockets follow, or of a group of sockets that share one.
struct DtypeVariable {
  std::string node;
  std::string param;            // the dtype parameter; empty: a group
  std::vector<DType> allowed;   // empty: any
  DType declared = DType::f32;  // the parameter's value
  bool has_inputs = false;      // a wired input carries it
  bool has_outputs = false;
  bool as_wired = false;  // no Cast may stand before it (SocketDecl::upstream_of): the dtype of its wire, no choice
};

/// One dtype a variable; nothing: unknown, or no float.
using DtypeChoice = std::vector<std::optional<DType>>;

/// A Cast that a choice needs on a wire.
struct NeededCast {
  Link link;
  DType from, to;
};

/// Nodes that are unknown or on a cycle take no part; a bypassed node hands on the dtype of its input, and so do
/// corners of wires and the sockets of groups, which no Cast stands before: it stands where the wire is read. An Input
/// that nothing is wired to gives its example in the dtype of its parameter.
class DtypeFlow {
 public:
  explicit DtypeFlow(const Graph& graph);

  const Graph& graph() const { return graph_; }
  const std::vector<DtypeVariable>& variables() const { return variables_; }
  /// Index of the variable of a node's dtype parameter, or −1.
  int variable(std::string_view node, std::string_view param) const;
  /// Index of the variable that an input carries, or −1: it takes a fixed list of dtypes, or any.
  int input_variable(std::string_view node, std::string_view socket) const;

  /// Chooses every variable, sources first. `choose` gets the dtypes on the variable's wired inputs; it is not asked
  /// for those that stay as they are wired.
  using Choose = std::function<std::optional<DType>(size_t variable, const std::vector<DType>& inputs)>;
  DtypeChoice settle(const Choose& choose) const;
  /// What the graph carries as it is.
  DtypeChoice present() const;
  /// The variables of the Outputs that are the graph's own, not sockets of groups.
  std::vector<size_t> graph_outputs() const;
  /// The dtype of an output under a choice.
  std::optional<DType> output(const DtypeChoice& choice, std::string_view node, std::string_view socket) const;
  /// In the order of links. A wire whose dtype is not known, or no float, needs none.
  std::vector<NeededCast> casts(const DtypeChoice& choice) const;
  /// By variable: whether anything behind it could take `dtype`, or nothing is behind it. Parameters always could.
  std::vector<bool> useful_in(DType dtype) const;
  /// Groups that read an output directly.
  std::vector<size_t> groups_behind(std::string_view node, std::string_view socket) const;

 private:
  struct Slot {
    int variable = -1;
    std::vector<DType> dtypes;  // a fixed list; empty: any
  };
  using Place = std::pair<std::string, std::string>;  // node, socket
  void add_node(const Node& node, const NodeType& type);
  /// Adds a node whose outputs have the dtype of its first wired input.
  void add_handing(const Node& node, const NodeType& type, bool as_wired);
  bool is_handing(const Node& node) const;
  Slot slot_of(const Node& node, const NodeType& type, const SocketDecl& socket, bool is_input);
  /// What the target of a wire wants of `from`, or nothing when it takes it as it is.
  std::optional<DType> wanted(const DtypeChoice& choice, const Link& link, DType from) const;

  const Graph& graph_;
  std::vector<std::string> order_;  // nodes, sources first
  std::vector<Link> links_;         // tensor wires between nodes that take part
  std::vector<DtypeVariable> variables_;
  std::map<Place, int> index_;  // node, "param" or "*group" → variable
  std::map<Place, Slot> inputs_, outputs_;
  std::map<std::string, std::vector<size_t>, std::less<>> of_node_;      // variables
  std::map<std::string, std::vector<Link>, std::less<>> into_, out_of_;  // links_ by node
};

}  // namespace hw
