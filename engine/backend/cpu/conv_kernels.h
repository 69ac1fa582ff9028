// What the kernels of convolutions share.
#pragma once

#include "engine/backend/cpu/dnnl_conv.h"
#include "engine/backend/cpu/kernel.h"

namespace hw::cpu {

/// Of conv2d, conv2d_grad_input or conv2d_grad_weight, all pictures.
ConvShape conv_shape(const KernelContext& c);

/// Whether no number is an Inf or a NaN.
bool are_finite(const float* numbers, int64_t count);

/// Whether oneDNN 2.6 makes a weight gradient of bf16 factors as it should. Of pictures of one or two columns it reads
/// scratch memory that it has not written; with rows apart, of 28 columns and more, its sums are wrong.
bool grad_weight_takes_bf16(const ConvShape& s);

}  // namespace hw::cpu
