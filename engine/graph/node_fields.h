// What each field of a node is of: the one table behind "computes the same", "looks the same" and structure.
#pragma once

#include <cstdint>
#include <type_traits>

#include "engine/graph/graph.h"

namespace hw {

/// Several may be joined by |.
enum class NodeFields : uint8_t {
  computation = 1,  // what it computes, but for values
  values = 2,       // of parameters
  file = 4,         // kept, and of no effect on what it computes or shows
  words = 8,        // by which it is called
  looks = 16,       // where it lies and how it is shown
};

constexpr NodeFields operator|(NodeFields a, NodeFields b) {
  return static_cast<NodeFields>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr bool contains(NodeFields set, NodeFields one) {
  return (static_cast<uint8_t>(set) & static_cast<uint8_t>(one)) != 0;
}

/// All that a node computes is made of.
inline constexpr NodeFields kComputed = NodeFields::computation | NodeFields::values;

/// A row as a type, so that a visitor may choose by it what it compiles.
template <NodeFields fields>
using FieldRow = std::integral_constant<NodeFields, fields>;

/// Calls visit(row, field, ...) for each field of Node, with that field of each of the nodes; in the order of the
/// fields.
template <class Visit, class... Nodes>
void for_each_field(Visit&& visit, const Nodes&... nodes) {
  constexpr FieldRow<NodeFields::computation> computation;
  constexpr FieldRow<NodeFields::values> values;
  constexpr FieldRow<NodeFields::file> file;
  constexpr FieldRow<NodeFields::words> words;
  constexpr FieldRow<NodeFields::looks> looks;
  visit(computation, nodes.id...);
  visit(computation, nodes.type...);
  visit(words, nodes.label...);
  visit(file, nodes.name...);
  visit(values, nodes.params...);
  visit(computation, nodes.weights...);
  visit(looks, nodes.x...);
  visit(looks, nodes.y...);
  visit(looks, nodes.collapsed...);
  visit(computation, nodes.bypassed...);
  visit(computation, nodes.frozen...);
  visit(looks, nodes.preview...);
  visit(computation, nodes.tie...);
  visit(computation, nodes.device...);
  visit(file, nodes.extra...);
}

/// Whether two nodes are equal in the fields of these rows.
bool equal_in(NodeFields rows, const Node& a, const Node& b);

}  // namespace hw
