#include "engine/core/tensor_rows.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "engine/core/parallel.h"

namespace hw {
namespace {

constexpr int64_t kTile = 64;  // rows and columns at a time: a tile of f32 is 16 KiB, which the nearest cache holds

/// Through a tile of its own: rows whose distance is a multiple of 4096 bytes would push each other out of the cache.
/// `T`: the bytes of an element.
template <class T>
void transpose(const T* from, T* to, int64_t rows, int64_t columns) {
  parallel_for((columns + kTile - 1) / kTile, [&](int64_t strip) {
    T tile[kTile][kTile + 1];
    const int64_t first = strip * kTile, last = std::min(columns, first + kTile);
    for (int64_t top = 0; top < rows; top += kTile) {
      const int64_t bottom = std::min(rows, top + kTile);
      for (int64_t r = top; r < bottom; ++r)
        std::copy(from + r * columns + first, from + r * columns + last, tile[r - top]);
      for (int64_t c = first; c < last; ++c)
        for (int64_t r = top; r < bottom; ++r) to[c * rows + r] = tile[r - top][c - first];
    }
  });
}

}  // namespace

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
  const auto of_bytes = [&]<class T>(T) { transpose(matrix.as<T>(), made.as<T>(), rows, columns); };
  switch (size_of(matrix.dtype())) {
    case 1:
      of_bytes(uint8_t{});
      break;
    case 2:
      of_bytes(uint16_t{});
      break;
    case 4:
      of_bytes(uint32_t{});
      break;
    default:
      assert(size_of(matrix.dtype()) == 8);
      of_bytes(uint64_t{});
  }
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
