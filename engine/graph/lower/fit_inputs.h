// Inputs of a graph that are given values: what of their declaration follows the values.
#pragma once

#include "engine/graph/lower/lower.h"

namespace hw {

/// A node that a graph is given a value of, not one that a group's instance wires.
bool is_graph_input(const Graph& flat, const Node& node);

/// Sizes of given values, by the output that they replace.
using GivenSizes = std::map<SocketRef, Dims>;

/// Makes the Inputs of a flat graph what is given: they need no example, and axes that they name symbolic have the
/// sizes given. Other axes stay as declared: whether the values fit is still to be checked.
void fit_inputs(Graph& flat, const GivenSizes& given);

/// What is given in the dtypes that the wires of a flat graph carry: of another graph's than that it was given to, with
/// other dtypes.
GivenValues in_wire_dtypes(const Graph& flat, const GivenValues& given);

}  // namespace hw
