// Groups made by chance of nodes that a graph has.
#pragma once

#include "engine/graph/graph.h"
#include "tests/fuzz/random_params.h"

namespace hw::fuzz {

/// Moves some nodes, instances among them, into a new group with one instance, whose sockets carry the wires that cross
/// its border: the graph computes what it did, but for the streams of random numbers.
void put_into_group(Graph& graph, Dice& dice);

}  // namespace hw::fuzz
