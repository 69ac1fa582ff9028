// The sizes of a convolution, and one as a library is asked for it.
#pragma once

#include "engine/kernels/body.h"
#include "engine/program/program.h"

namespace hw::gpu {

struct ConvShape {
  int64_t pictures, channels, height, width;  // of x
  int64_t kernel_h, kernel_w, out_h, out_w, outputs;
  int64_t stride_h, stride_w, dilation_h, dilation_w, pad_h, pad_w;
  HW_BODY int64_t taps() const { return kernel_h * kernel_w; }
  HW_BODY int64_t area() const { return out_h * out_w; }
  HW_BODY int64_t columns() const { return channels * taps() * area(); }  // of one picture
  HW_BODY int64_t picture() const { return channels * height * width; }
};

/// conv2d: (x, weight) → y; conv2d_grad_input: (g, weight) → x; conv2d_grad_weight: (x, g) → weight. All packed, [N, C,
/// H, W] and [O, C / groups, kh, kw], with as many zeros after a picture as before it. One dtype: f64, f32, tf32 (f32
/// memory that holds tf32 numbers), f16, bf16; sums in f32 (f64), rounded once.
struct Convolution {
  Op op = Op::conv2d;
  DType dtype = DType::f32;
  ConvShape shape{};
  int64_t groups = 1;
  const void *first = nullptr, *second = nullptr;
  void *result = nullptr, *scratch = nullptr;
  size_t scratch_bytes = 0;
};

}  // namespace hw::gpu
