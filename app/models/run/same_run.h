// Whether a graph as it stands trains what a checkpoint was made of.
#pragma once

#include <string>

#include "engine/train/checkpoint.h"

namespace hw::app {

/// `graph` (flat), on the device of this id, goes on from the checkpoint to the bit, and not only with its weights: the
/// Train node's parameters, structure and device are those that it was made with.
bool same_run(const Checkpoint& checkpoint, const Graph& graph, const std::string& device);

}  // namespace hw::app
