// Why a tensor of a dump differs from a wire, where the numbers show it.
#pragma once

#include <string>

#include "engine/core/tensor.h"

namespace hw {

/// Differences below this are none.
inline constexpr double kAlike = 1e-7;

/// The sizes are those of the wire, its channels last: [N, H, W, C] beside [N, C, H, W].
bool has_channels_last(const Dims& tensor, const Dims& wire);

/// `error`: the largest difference over `relative` of the largest magnitude. "with its channels read as the last axis
/// it agrees: save it with the axes of the wire", "within what bf16 rounds (on the command line: --relative 0.016
/// allows it)"; empty: nothing is seen. Reads all elements.
std::string hint_of(const Tensor& made, const Tensor& wanted, double error, double relative);

}  // namespace hw
