#include "engine/backend/cpu/simd/transposed.h"

#include <algorithm>

namespace hw::cpu {
namespace {

// In blocks that keep to a few cache lines on both sides.
template <class T>
void in_blocks(const std::byte* from_bytes, std::byte* to_bytes, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = 16;
  const auto* from = reinterpret_cast<const T*>(from_bytes);
  auto* to = reinterpret_cast<T*>(to_bytes);
  for (int64_t r0 = 0; r0 < rows; r0 += kSide)
    for (int64_t c0 = 0; c0 < columns; c0 += kSide)
      for (int64_t c = c0; c < std::min(columns, c0 + kSide); ++c)
        for (int64_t r = r0; r < std::min(rows, r0 + kSide); ++r) to[c * rows + r] = from[r * columns + c];
}

}  // namespace

// What is left of 16 × 16 blocks would need masked stores, which cost more than the scalar loop; of fewer than 64 rows
// or columns, oneDNN's reorder is as fast (scripts/bench, digits).
bool transposes_in_vectors(const SimdTable& simd, size_t element, int64_t rows, int64_t columns) {
  return element == 4 && std::min(rows, columns) >= 64 && rows % 16 == 0 && columns % 16 == 0 &&
         simd.isa == Isa::avx512;
}

void transpose(const SimdTable& simd, size_t element, const std::byte* from, std::byte* to, int64_t rows,
               int64_t columns) {
  if (transposes_in_vectors(simd, element, rows, columns))
    return simd.transpose(reinterpret_cast<const uint32_t*>(from), columns, rows, reinterpret_cast<uint32_t*>(to),
                          columns);
  switch (element) {
    case 1:
      return in_blocks<uint8_t>(from, to, rows, columns);
    case 2:
      return in_blocks<uint16_t>(from, to, rows, columns);
    case 4:
      return in_blocks<uint32_t>(from, to, rows, columns);
    default:
      return in_blocks<uint64_t>(from, to, rows, columns);
  }
}

}  // namespace hw::cpu
