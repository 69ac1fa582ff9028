// Validator: wire types and diagnostics of a graph, kept up to date edit by edit.
#pragma once

#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "engine/graph/check/check_tie.h"
#include "engine/graph/groups/flat_graph.h"
#include "engine/graph/topological_order.h"

namespace hw {

/// Whether nodes' own devices count, or what runs does so on a device of its own.
enum class Pins : uint8_t { count, ignored };

/// Not thread safe. The cost of update() is that of the touched nodes and of those downstream whose input types
/// changed.
class Validator {
 public:
  /// The devices of this machine: nodes pinned to others are reported from the next reset on. Not called: none is.
  /// `has`: whether there is one of this id; `all`: their ids, asked for where one is missing. Error HW-R007.
  void set_devices(std::function<bool(const std::string&)> has, std::function<std::vector<std::string>()> all) {
    has_device_ = std::move(has);
    all_devices_ = std::move(all);
  }
  /// Everything anew.
  void reset(const Graph& graph);
  /// After edits. Returns the nodes whose types or diagnostics changed.
  std::vector<std::string> update(const Graph& graph, const FlatChange& change);

  /// The type of an output, or nothing when it cannot be known. Of an instance of a group: that of its Output node.
  std::optional<WireType> output_type(std::string_view node, std::string_view socket) const;
  /// The types on a node's wired inputs, where they are known.
  InputTypes input_types(const Graph& graph, const Node& node) const;
  /// Diagnostics of a node (empty id: of the graph).
  const std::vector<Diagnostic>& of(std::string_view node) const;
  /// All, errors first, then by node.
  std::vector<Diagnostic> all() const;
  /// Whether a wire is drawn red: its diagnostic, or null.
  const Diagnostic* of(const Link& link) const;
  /// An error in the cone of `node` (itself and all it depends on), nearest first; null: the cone can run.
  const Diagnostic* blocking(const Graph& graph, std::string_view node, Pins pins = Pins::count) const;

 private:
  struct State {
    const NodeType* type = nullptr;
    std::vector<std::optional<WireType>> outputs;  // as declared
    std::vector<std::string> sockets;              // ids of the outputs
    std::vector<Diagnostic> diagnostics;
    bool operator==(const State&) const = default;
  };
  State evaluate(const Graph& graph, const Node& node);
  void put(const std::string& id, State state);
  void find_cycles(const Graph& graph);
  std::function<bool(const std::string&)> has_device_;  // empty: nobody says
  std::function<std::vector<std::string>()> all_devices_;
  std::unordered_map<std::string, State> nodes_;
  std::set<std::string> marked_;  // nodes that have diagnostics
  /// `owner` empty: the node uses its own parameters.
  void set_tie(const std::string& node, const std::string& owner);
  std::unordered_map<std::string, std::string> owners_;           // by node that uses the parameters of another
  std::unordered_map<std::string, std::set<std::string>> tied_;   // by owner
  std::map<std::string, std::unordered_set<std::string>> cones_;  // of nodes with a rule on it: what they depend on
  TopologicalOrder order_;
  std::unordered_set<std::string> cyclic_;  // nodes on a cycle: their outputs have no type
};

/// Whether a diagnostic keeps its node from running.
bool blocks(const Diagnostic& diagnostic, Pins pins);

/// Would this wire be accepted? Nothing: yes. Else why not. Used while dragging and by the search for what fits.
std::optional<Diagnostic> check_link(const Graph& graph, const Validator& validator, const Link& link);

}  // namespace hw
