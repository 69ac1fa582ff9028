// Arrays and pictures as the value of an Input.
#pragma once

#include "engine/core/mesh.h"
#include "engine/core/shape.h"
#include "engine/core/tensor.h"

namespace hw {

/// How a tensor holds pictures.
struct PictureLayout {
  int64_t count = 1, channels = 1, height = 0, width = 0;
  bool channels_last = false;
};
/// For [N, C, H, W], [C, H, W], [N, H, W, C] and [H, W, C] with C 1 or 3, for [H, W], and for [N, C] where the first
/// axis is called N and C is the square of 8 or more, as of flattened pictures. Nothing: it is no picture, or it is not
/// known.
std::optional<PictureLayout> picture_layout(const Shape& shape);

/// A picture of the layout's size as that many equal ones: channels in [0, 1], sRGB-encoded as they are; one channel is
/// the luma (ITU-R BT.601). Transparent is black.
Tensor picture_value(const Image& image, const PictureLayout& layout, const Shape& shape, DType dtype);

/// An array as a value of that shape and dtype: it has the sizes, or those behind the first, and is then repeated along
/// that. Errors at `where`: HW-S002; HW-D001 for a value that a dtype of whole numbers does not have.
Result<Tensor> array_value(const Tensor& array, const Shape& shape, DType dtype, const std::string& where);

}  // namespace hw
