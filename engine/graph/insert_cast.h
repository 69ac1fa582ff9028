// A Cast in a wire.
#pragma once

#include <span>

#include "engine/graph/edit.h"

namespace hw {

/// Whether a Cast makes this dtype: there is such a node, and it offers it.
bool is_cast_target(DType dtype);

/// A Cast node half-way on the canvas between the ends of `link`.
Node cast_between(const Graph& graph, const Link& link, DType to, std::string id);

/// `link` taken apart by a Cast to `to`, half-way on the canvas.
Edits insert_cast(const Graph& graph, const Link& link, DType to);

/// Moves a new node straight down until it covers none of the graph's and of `others`, as far as sizes are known here.
void make_room(const Graph& graph, std::span<const Node> others, Node& node);

}  // namespace hw
