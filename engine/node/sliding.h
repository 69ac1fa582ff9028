// Parameters and shape rules of nodes that slide a window over one or three axes: [N, C, T], [N, C, D, H, W].
// windows.h has those of pictures.
#pragma once

#include "engine/node/shapes.h"

namespace hw::sliding {

/// For each axis behind N and C.
struct Windows {
  std::vector<int64_t> size, kernel, stride, dilation, begin, end, count;
};

/// The vector parameter `id`: one whole number for all axes or one each. Error HW-P001 at `id`.
Result<std::vector<int64_t>> list_of(const Params& p, std::string_view id, size_t axes, int64_t least);
/// The text parameter `padding`: "same" (⌈size / stride⌉ windows; the odd one at the end), "valid", one number for all
/// sides, one for each axis, or all begins and then all ends; of one axis also "causal": all in front, so that nothing
/// looks ahead. Fills begin and end. Error HW-P001 at `padding`.
Status pad(const Params& p, Windows& windows);

/// Sizes of `socket` behind N and C. HW-S001 unless there are `axes` of them, HW-S002 unless all but N are known, not 0
/// and at most 2^26.
Result<std::vector<int64_t>> sizes(const ShapeArgs& a, std::string_view socket, size_t axes);
/// Sizes behind N and C of dims [N, C, ..].
std::vector<int64_t> sizes_behind(const Dims& dims);

/// From kernel_size, stride, dilation (convolutions) and padding; of pools stride 0 is the window and padding at most
/// half of it. Error HW-P001 at the parameter.
Result<Windows> convolution(const Params& p, std::vector<int64_t> size);
Result<Windows> pool(const Params& p, std::vector<int64_t> size);

/// What convolutions declare: parameters, weights, `x` and `y` over one or three axes.
void declare_convolution(NodeDecl& d, size_t axes);
/// Their shape rule. Errors HW-S001, HW-S002 at `x`, HW-P001.
Result<Shapes> convolved(const ShapeArgs& a, size_t axes);
/// What pools declare: kernel_size, stride, padding, `x` and `y`.
void declare_pool(NodeDecl& d, size_t axes);
/// Their shape rule. Errors HW-S001, HW-S002 at `x`, HW-P001.
Result<Shapes> pooled(const ShapeArgs& a, size_t axes);

/// The input's shape with other channels and sizes; the axes keep their names.
Shape resized(const Shape& x, int64_t channels, const std::vector<int64_t>& sizes);

/// A line [N, C, T] as a picture of one row, and back.
Val as_picture(OpBuilder& b, Val line);
Val as_line(OpBuilder& b, Val picture, std::vector<std::string> axes);

}  // namespace hw::sliding
