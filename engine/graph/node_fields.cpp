#include "engine/graph/node_fields.h"

namespace hw {
namespace {

/// A field more than this binds has no row yet: give it one in for_each_field(), then bind it.
[[maybe_unused]] void each_field_has_a_row(const Node& node) {
  [[maybe_unused]] const auto& [id, type, label, name, params, weights, x, y, collapsed, bypassed, frozen, preview, tie,
                                device, extra] = node;
}

}  // namespace

bool equal_in(NodeFields rows, const Node& a, const Node& b) {
  bool equal = true;
  for_each_field([&](NodeFields row, const auto& one,
                     const auto& other) { equal = equal && (!contains(rows, row) || one == other); },
                 a, b);
  return equal;
}

}  // namespace hw
