// Where gradient checks hold something fixed between a value and the loss.
#pragma once

#include <string>

#include "engine/program/program.h"

namespace hw {

/// The nodes, in the order of the forward pass, that end a gradient (ends_gradient.h) on a way from `value` to
/// `target`, those of booleans apart: what they hand on is no part of the adjoint, and differences hold it fixed.
std::vector<std::string> stopping_nodes(const Program& program, ValueId target, ValueId value);

}  // namespace hw
