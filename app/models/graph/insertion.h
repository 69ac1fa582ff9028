// A node put into a wire: the edits for it, and for what must make room.
#pragma once

#include <optional>

#include "app/document/document.h"
#include "app/models/palette/placeable.h"

namespace hw::app {

/// Edits of the shown graph that lead the wire through the node, which may be in the graph, without wires, or new. What
/// it would cover moves right. Nothing: it does not fit there.
/// `adopted`: of a new node, with the definitions that the document does not have yet.
std::optional<Edits> insertion(const Document& document, const Node& node, const Link& link,
                               const Adopted& adopted = {});

/// A new node of this type for the wire, its input at (x, y) as far as the grid allows, or nothing.
std::optional<Node> node_on_wire(const Document& document, const Adopted& type, const Link& link, double x, double y);

}  // namespace hw::app
