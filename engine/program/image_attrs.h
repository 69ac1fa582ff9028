// Attributes of the ops on pictures [N, C, H, W]: convolution, pooling, resizing; and of the normalisations.
// Pairs are along H, then W.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "engine/core/dtype.h"
#include "engine/core/shape.h"

namespace hw {

using Pair = std::array<int64_t, 2>;

/// How many windows of `kernel` taps, `dilation` apart, fit into `size` elements between `padding` zeros in all when
/// they begin `stride` apart. 0: none. stride ≥ 1.
constexpr int64_t window_count(int64_t size, int64_t kernel, int64_t stride, int64_t dilation, int64_t padding) {
  const int64_t room = size + padding - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

/// Cross-correlation as torch.nn.functional.conv2d: y[n, o, i, j] = Σ x[n, c, i · stride − pad_begin + a · dilation, …]
/// · w[o, c, a, b] over the channels of o's group; zeros outside.
struct ConvAttr {
  Pair stride{1, 1}, dilation{1, 1}, pad_begin{0, 0}, pad_end{0, 0};
  int64_t groups = 1;
  Dims dims = {};                     // conv2d_grad_input: of x; conv2d_grad_weight: of the weight
  DType dtype = DType::f32;           // conv2d_grad_weight: of the result
  std::optional<DType> compute = {};  // as MatmulAttr::compute
};

/// adaptive (torch.nn.AdaptiveAvgPool2d): window i of an axis is [⌊i · size / count⌋, ⌈(i + 1) · size / count⌉), count
/// from `size`; then kernel, stride and padding mean nothing.
struct PoolAttr {
  Pair kernel{1, 1}, stride{1, 1}, pad_begin{0, 0}, pad_end{0, 0};
  bool count_padding = true;  // avg_pool: divide by the whole window, else by the elements inside the picture
  bool adaptive = false;
  Pair size{1, 1};  // adaptive: [H', W']
  Dims dims = {};   // gradients: of x
};

/// torch.nn.functional.interpolate. nearest: element ⌊i · in / out⌋. bilinear: at (i + ½) · in / out − ½, not below 0;
/// align_corners: at i · (in − 1) / (out − 1).
struct ResizeAttr {
  enum class Kind : uint8_t { nearest, bilinear } kind = Kind::nearest;
  bool align_corners = false;
  Pair size{1, 1};  // of y
  Dims dims = {};   // gradient: of x
};

/// batch: the moments are those of x itself, so the gradient of x goes through them too; else they are fixed numbers.
struct BatchNormAttr {
  double epsilon = 1e-5;
  bool batch = true;
};

/// running = (1 − rate) · running + rate · moment. `variance_factor` multiplies the variance first: n / (n − 1) for the
/// unbiased one.
struct MomentsAttr {
  double rate = 0.1;
  double variance_factor = 1;
};

/// Element i of a row belongs to group i / group_size and to channel i / inner % channels. Layer norm over the last
/// axis C: {C, C, 1}; group norm of [N, C, H, W]: {C / groups · H · W, C, H · W}.
struct GroupNormAttr {
  int64_t group_size = 1, channels = 1, inner = 1;
  double epsilon = 1e-5;
};

}  // namespace hw
