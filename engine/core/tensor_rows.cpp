#include "engine/core/tensor_rows.h"

#include <cassert>

namespace hw {

Tensor rows_of(const Tensor& from, std::span<const int64_t> rows) {
  Dims dims = from.dims();
  const size_t each = dims[0] > 0 ? from.bytes() / static_cast<size_t>(dims[0]) : 0;
  dims[0] = static_cast<int64_t>(rows.size());
  Tensor made(from.dtype(), dims);
  for (size_t i = 0; i < rows.size(); ++i)
    std::memcpy(made.as<std::byte>() + i * each, from.as<std::byte>() + static_cast<size_t>(rows[i]) * each, each);
  return made;
}

Tensor transposed(const Tensor& matrix) {
  const int64_t rows = matrix.dims()[0], columns = matrix.dims()[1];
  Tensor made(matrix.dtype(), {columns, rows});
  const size_t each = size_of(matrix.dtype());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      std::memcpy(made.as<std::byte>() + static_cast<size_t>(c * rows + r) * each,
                  matrix.as<std::byte>() + static_cast<size_t>(r * columns + c) * each, each);
  return made;
}

Tensor joined_rows(const Tensor& first, const Tensor& then) {
  assert(first.dtype() == then.dtype());
  Dims dims = first.dims();
  dims[0] += then.dims()[0];
  Tensor made(first.dtype(), dims);
  std::memcpy(made.data(), first.data(), first.bytes());
  std::memcpy(made.as<std::byte>() + first.bytes(), then.data(), then.bytes());
  return made;
}

}  // namespace hw
