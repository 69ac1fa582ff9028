// A tensor in words: statistics and a histogram for the terminal.
#pragma once

#include <string>

#include "engine/core/tensor.h"

namespace hw::cli {

/// dtype and sizes, min, max, mean, std (of the finite values), zeros, subnormals, non-finite; then, for floats, how
/// many values lie in each range of magnitude. Every line begins with `indent`.
std::string describe(const Tensor& tensor, const std::string& indent);
/// A line a component of the vectors (last axis of 2 to 4) or square matrices (two such axes) that a float tensor
/// holds: min, max, mean, zeros. Empty for other tensors.
std::string describe_components(const Tensor& tensor, const std::string& indent);

}  // namespace hw::cli
