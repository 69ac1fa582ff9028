// A Cast in a wire.
#pragma once

#include "engine/graph/edit.h"

namespace hw {

/// A Cast node half-way on the canvas between the ends of `link`; `place`: how many are there already.
Node cast_between(const Graph& graph, const Link& link, DType to, std::string id, int place);

/// `link` taken apart by a Cast to `to`, half-way on the canvas.
Edits insert_cast(const Graph& graph, const Link& link, DType to);

}  // namespace hw
