// A library's convolution, by its definition: every output is one sum, accumulated in T.
#pragma once

#include "engine/backend/gpu/conv_shape.h"
#include "engine/kernels/stored.h"

namespace hw::test {

/// Calls f(x, weight, y): places in the three tensors, for every product that the convolution sums.
template <class F>
void each_product(const gpu::ConvShape& s, int64_t groups, F f) {
  const int64_t inputs = s.channels / groups, outputs = s.outputs / groups;
  for (int64_t n = 0; n < s.pictures; ++n)
    for (int64_t o = 0; o < s.outputs; ++o)
      for (int64_t c = 0; c < inputs; ++c)
        for (int64_t i = 0; i < s.out_h; ++i)
          for (int64_t j = 0; j < s.out_w; ++j)
            for (int64_t p = 0; p < s.kernel_h; ++p)
              for (int64_t q = 0; q < s.kernel_w; ++q) {
                const int64_t h = i * s.stride_h - s.pad_h + p * s.dilation_h;
                const int64_t w = j * s.stride_w - s.pad_w + q * s.dilation_w;
                if (h < 0 || h >= s.height || w < 0 || w >= s.width) continue;
                const int64_t channel = o / outputs * inputs + c;
                f(((n * s.channels + channel) * s.height + h) * s.width + w,
                  ((o * inputs + c) * s.kernel_h + p) * s.kernel_w + q,
                  ((n * s.outputs + o) * s.out_h + i) * s.out_w + j);
              }
}

template <class T>
void plain_convolution(const gpu::Convolution& c) {
  const gpu::ConvShape& s = c.shape;
  const DType memory = c.dtype == DType::tf32 ? DType::f32 : c.dtype;
  const kernels::Source first{memory, c.first}, second{memory, c.second};
  const int64_t size = c.op == Op::conv2d              ? s.pictures * s.outputs * s.area()
                       : c.op == Op::conv2d_grad_input ? s.pictures * s.picture()
                                                       : s.outputs * s.channels / c.groups * s.taps();
  std::vector<T> sums(static_cast<size_t>(size), T(0));
  each_product(s, c.groups, [&](int64_t x, int64_t weight, int64_t y) {
    if (c.op == Op::conv2d)
      sums[static_cast<size_t>(y)] += first.at<T>(x) * second.at<T>(weight);
    else if (c.op == Op::conv2d_grad_input)
      sums[static_cast<size_t>(x)] += first.at<T>(y) * second.at<T>(weight);
    else
      sums[static_cast<size_t>(weight)] += first.at<T>(x) * second.at<T>(y);
  });
  const kernels::Target result{memory, c.result};
  for (int64_t i = 0; i < size; ++i) result.put(i, sums[static_cast<size_t>(i)]);
}

}  // namespace hw::test
