// Parameters and shape rules of nodes that slide a window over pictures [N, C, H, W].
#pragma once

#include "engine/node/shapes.h"

namespace hw::windows {

/// The vector parameter `id`: one whole number for both axes, or H and W. Error HW-P001 at `id`.
Result<Pair> pair_of(const Params& p, std::string_view id, int64_t least);

/// Zeros around a picture.
struct Padding {
  bool same = false;  // as many as give ⌈size / stride⌉ windows; the odd one at the end (PyTorch, ONNX SAME_UPPER)
  Pair begin{0, 0}, end{0, 0};

  /// The same with `same` worked out. size, kernel, stride, dilation: H, W.
  Padding around(Pair size, Pair kernel, Pair stride, Pair dilation) const;
};
/// The text parameter `id`: "same", "valid", "1", "1 2" (H W) or "1 1 2 0" (top left bottom right, as ONNX); commas and
/// brackets may stand between. Error HW-P001 at `id`.
Result<Padding> padding_of(const Params& p, std::string_view id);

/// H and W of the input. HW-S001 unless it has 4 axes, HW-S002 unless C, H and W are known and not 0.
Result<Pair> picture_size(const ShapeArgs& a, std::string_view socket);
/// H and W of sizes [N, C, H, W].
inline Pair size_of_picture(const Dims& dims) {
  return {dims[2], dims[3]};
}

/// Windows along H and W. Error HW-P001 at `kernel_param` when the window is larger than the padded picture.
Result<Pair> count_windows(Pair size, Pair kernel, Pair stride, Pair dilation, const Padding& padding,
                           std::string_view kernel_param);

/// Error HW-P001 at `param` unless every side has at most half a window of padding: no window is all padding.
Status padding_within_half(Pair kernel, const Padding& padding, std::string_view param);

/// The parameters that pools share: kernel_size, stride (0: the window itself, as PyTorch has it) and padding; `size`:
/// H and W. Error HW-P001 at the parameter.
Result<PoolAttr> pool_of(const Params& p, Pair size);
/// The shape rule of pools with these parameters. Errors HW-S001, HW-S002 at `x`, HW-P001.
Result<Shapes> pooled(const ShapeArgs& a);

/// Error HW-P001 at `groups` unless it divides the channels of `x` and out_channels.
Status check_groups(const ShapeArgs& a);

/// The input's shape with other channels and sizes; the axes keep their names.
Shape resized(const Shape& x, int64_t channels, Pair size);

/// "3 x 5".
std::string to_string(Pair p);

}  // namespace hw::windows
