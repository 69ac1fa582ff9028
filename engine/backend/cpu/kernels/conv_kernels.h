// What the kernels of convolutions share.
#pragma once

#include "engine/backend/cpu/dnnl/dnnl_conv.h"
#include "engine/backend/cpu/kernels/kernel.h"

namespace hw::cpu {

/// The shape of conv2d, conv2d_grad_input or conv2d_grad_weight, all pictures.
ConvShape conv_shape(const KernelContext& c);

/// Whether no number is an Inf or a NaN.
bool are_finite(const float* numbers, int64_t count);

/// Whether oneDNN 2.6 computes what it should of bf16 factors. Of a picture's gradient with an odd number of channels
/// and one tap, sums are wrong at some sizes (30 pixels). Of a weight gradient, pictures of one or two columns read
/// scratch memory that was not written; with rows apart, of 28 columns and more, sums are wrong.
bool is_right_in_bf16(Op op, const ConvShape& s);

}  // namespace hw::cpu
