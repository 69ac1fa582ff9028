// Graphs made by chance, of all node types: parameters inside, at and beyond their bounds, wires that mostly fit.
#pragma once

#include "engine/graph/graph.h"

namespace hw::fuzz {

/// The graph of a seed, some with groups in groups: the same on every machine. Half of the seeds keep to allowed values
/// and fitting wires, so that most of those train; the others break rules of every kind.
Graph random_graph(uint64_t seed);

}  // namespace hw::fuzz
