// The order of every layer from top to bottom, so that few wires cross.
#pragma once

#include "engine/layout/layered_graph.h"

namespace hw::layout {

/// Sweeps by barycentre with neighbours exchanged where that helps; the best order that was seen. False: stopped.
bool order_layers(LayeredGraph& graph, const std::stop_token& stop);

}  // namespace hw::layout
