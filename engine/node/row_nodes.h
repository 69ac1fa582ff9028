// Nodes that are rows of a table: one declaration and one registration for all rows.
#pragma once

#include <utility>

#include "engine/node/shapes.h"

namespace hw {

/// Title, category Math, summary, the row's doc with `more` after it, source and keywords. Row: title, summary, doc,
/// source, keywords.
template <class Row>
void declare_row(NodeDecl& d, const Row& row, const char* more) {
  d.title(row.title).category("Math").summary(row.summary);
  d.doc(std::string(row.doc) + "\n\n" + more);
  d.source(row.source);
  d.keywords(row.keywords);
}

/// Adds `count` nodes to the registry, as HW_NODE does one. A NodeType holds plain functions, so each row has its own:
/// Node<I>::row, with its id, Node<I>::declare, lower and examples.
template <template <size_t> class Node, size_t count>
bool register_rows(Result<Shapes> (*shape)(const ShapeArgs&)) {
  [shape]<size_t... I>(std::index_sequence<I...>) {
    (NodeRegistration(Node<I>::row.id, Node<I>::declare, shape, Node<I>::lower, Node<I>::examples), ...);
  }
  (std::make_index_sequence<count>());
  return true;
}

}  // namespace hw
