#include "engine/field/given_input.h"

#include <cassert>
#include <cmath>
#include <cstring>

#include "engine/core/codes.h"
#include "engine/core/fit_dtype.h"
#include "engine/core/picture_channels.h"

namespace hw {

std::optional<PictureLayout> picture_layout(const Shape& shape) {
  if (!shape.fully_known()) return std::nullopt;
  const Dims dims = shape.dims();
  const auto are_channels = [](int64_t size) { return size == 1 || size == 3; };
  const size_t rank = dims.size();
  if (rank == 2) {
    const auto side = static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(dims[1]))));
    if (shape[0].name != "N") return PictureLayout{1, 1, dims[0], dims[1]};
    if (side < 8 || side * side != dims[1]) return std::nullopt;
    return PictureLayout{dims[0], 1, side, side};
  }
  if (rank != 3 && rank != 4) return std::nullopt;
  const int64_t count = rank == 4 ? dims[0] : 1;
  const int64_t a = dims[rank - 3], b = dims[rank - 2], c = dims[rank - 1];
  if (are_channels(a)) return PictureLayout{count, a, b, c, false};
  if (are_channels(c)) return PictureLayout{count, c, a, b, true};
  return std::nullopt;
}

Tensor picture_value(const Image& image, const PictureLayout& layout, const Shape& shape, DType dtype) {
  assert(image.width == layout.width && image.height == layout.height);
  Tensor value = Tensor::zeros(DType::f32, shape.dims());
  auto* out = value.as<float>();
  const int64_t pixels = layout.width * layout.height;
  for (int64_t n = 0; n < layout.count; ++n)
    for (int64_t p = 0; p < pixels; ++p) {
      const size_t first = static_cast<size_t>(p) * 4;
      const auto opacity = static_cast<float>(channel_value(image, first + 3));
      float rgb[3];
      for (int k = 0; k < 3; ++k)
        rgb[k] = static_cast<float>(channel_value(image, first + static_cast<size_t>(k))) * opacity;
      if (layout.channels == 1) rgb[0] = 0.299f * rgb[0] + 0.587f * rgb[1] + 0.114f * rgb[2];
      for (int64_t k = 0; k < layout.channels; ++k) {
        const int64_t at =
            layout.channels_last ? (n * pixels + p) * layout.channels + k : (n * layout.channels + k) * pixels + p;
        out[at] = rgb[k];
      }
    }
  return dtype == DType::f32 ? value : value.to(dtype);
}

Result<Tensor> array_value(const Tensor& array, const Shape& shape, DType dtype, const std::string& where) {
  const Dims dims = shape.dims();
  HW_TRY(const FittedTensor fitted, fit_dtype(array, dtype, where));
  const Tensor& values = fitted.tensor;
  if (array.dims() == dims) return values;
  if (dims.empty() || array.dims() != Dims(dims.begin() + 1, dims.end()))
    return Error{codes::size_mismatch, where,
                 "the Input declares " + to_string(shape) + ", the array is " + to_string(array.dims()) + ".",
                 "Save the array with the Input's sizes, or change the Input's shape."};
  Tensor repeated = Tensor::zeros(dtype, dims);
  for (int64_t n = 0; n < dims[0]; ++n)
    std::memcpy(static_cast<std::byte*>(repeated.data()) + static_cast<size_t>(n) * values.bytes(), values.data(),
                values.bytes());
  return repeated;
}

}  // namespace hw
