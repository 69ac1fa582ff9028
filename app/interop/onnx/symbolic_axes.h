// Which sizes of a graph follow from the symbolic axes of its Inputs: those that differ in a graph whose Inputs are
// larger along them.
#pragma once

#include <set>

#include "engine/graph/graph.h"
#include "engine/node/wire.h"

namespace hw::interop {

/// Sizes of a symbolic axis of an Input: the example's, and that in the other graph.
struct SymbolicSizes {
  std::string symbol;
  int64_t here = 0, there = 0;
};

/// Names of the axes that Inputs among `nodes` declare symbolic, from the first Input on.
std::vector<std::string> symbolic_axes(const Graph& flat, const std::set<std::string>& nodes);

/// Makes the Inputs larger along the axes of these names.
std::vector<SymbolicSizes> resize_inputs(Graph& flat, const std::vector<std::string>& axes);

/// The type of a wire in both graphs: sizes that differ are −1, with the symbol of the axis that has these two sizes,
/// or none. No type: one is not known, or they have other axes.
std::optional<WireType> open_type(const std::optional<WireType>& here, const std::optional<WireType>& there,
                                  const std::vector<SymbolicSizes>& symbols);

}  // namespace hw::interop
