// The gradient of a convolution's large weight, some output channels at a time: each thread makes its own part of the
// weight from all pictures, where sums over parts of the pictures would each be as large as the weight.
#pragma once

#include <memory>

#include "engine/backend/cpu/kernels/kernel.h"

namespace hw::cpu {

/// How many output channels a part of the gradient has, from the program alone; 0: the gradient is summed over pieces
/// of the pictures instead. `instr` is a conv2d_grad_weight.
int64_t grad_weight_channels(const Program& program, const Instr& instr);

/// For an instruction that has parts.
std::unique_ptr<WholeKernel> make_conv_grad_weight_by_channels(const KernelContext& c);

}  // namespace hw::cpu
