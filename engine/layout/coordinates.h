// How far down every box stands: wires straight, boxes apart.
#pragma once

#include "engine/layout/layered_graph.h"

namespace hw::layout {

/// Tops of the items, multiples of the grid, in the order of their layers. Nothing: stopped.
std::optional<std::vector<int>> tops_of(const LayeredGraph& graph, const Spacing& spacing, const std::stop_token& stop);

}  // namespace hw::layout
