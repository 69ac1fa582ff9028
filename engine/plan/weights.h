// Weights: the parameters of a graph by name.
#pragma once

#include <map>
#include <string>

#include "engine/core/tensor.h"

namespace hw {

/// Weights by state name ("node.param"), in storage dtype (the views the forward pass reads). Immutable.
using Weights = std::map<std::string, Tensor>;

}  // namespace hw
