// The equation of an Einsum: which axes its inputs and its result have.
#pragma once

#include "engine/node/node_type.h"

namespace hw::einsum {

/// Axes are letters; after expand() those that an ellipsis stands for are digits, so that the last is the same in every
/// term.
struct Equation {
  std::vector<std::string> terms;
  std::string result;
};

/// The text parameter `equation`, with ellipses as they are written; without a result the letters that occur once, in
/// their order. Error HW-P001 at `equation`.
Result<Equation> parse(const Params& p);
/// The same with digits for ellipses; `ranks`: of the inputs, in the order of the terms. Error HW-S001 at the input
/// whose axes its term does not name.
Result<Equation> expand(const Params& p, Equation equation, const std::vector<size_t>& ranks);

}  // namespace hw::einsum
