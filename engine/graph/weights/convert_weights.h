// Conversion of weights that fit a graph in other dtypes, and what it loses.
#pragma once

#include "engine/graph/weights/fit_weights.h"

namespace hw {

/// A line for each tensor that its conversion makes Inf, NaN or 0 of other numbers in: how many, and the furthest of
/// them. Reads all that is to be converted.
std::vector<std::string> conversion_losses(const FittedWeights& fitted);

/// Converts what fit_weights said, each tensor to nearest even, times its scale where it has one: as many bytes as they
/// have are read and written.
std::map<std::string, Tensor> converted(FittedWeights fitted);

}  // namespace hw
