// The rules of one node: its parameters, its inputs' kinds, dtypes and shapes, and the types of its outputs.
#pragma once

#include "engine/graph/check/diagnostic.h"

namespace hw {

/// An input's wire as the check sees it. `type` is empty when the source has none (an error upstream).
struct InputWire {
  Link link;
  std::optional<WireType> type;
};
using InputWires = std::map<std::string, std::vector<InputWire>, std::less<>>;  // by input socket

struct NodeCheck {
  std::vector<std::optional<WireType>> outputs;  // in the order of the declared outputs
  std::vector<std::string> sockets;              // their ids
  std::vector<Diagnostic> diagnostics;
};

/// Checks `node` of the graph (used for remedies) with these wires.
NodeCheck check_node(const Graph& graph, const Node& node, const InputWires& wires);

/// Whether a dtype may enter a socket of a node with these parameters, ignoring groups. Nothing when any may.
std::optional<std::vector<DType>> accepted_dtypes(const NodeType& type, const Node& node, const SocketDecl& socket);

}  // namespace hw
