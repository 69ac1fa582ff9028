// Which ops are linear in some of their inputs.
#pragma once

#include <vector>

#include "engine/program/program.h"

namespace hw {

/// Whether the mean over parts of a batch of what `instr` makes is what it makes of the mean, by those of its inputs
/// that are in `by`, and its gradient by them is the same for all parts. `differs`: values that are not the same for
/// all parts, or whose gradient needs what all parts have. Both by value.
bool is_linear(const Instr& instr, const std::vector<bool>& by, const std::vector<bool>& differs);

}  // namespace hw
