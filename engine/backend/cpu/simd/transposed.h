// A matrix, or the channels and pixels of a picture, with rows and columns exchanged.
#pragma once

#include "engine/backend/cpu/simd/simd.h"

namespace hw::cpu {

/// from [rows, columns] → to [columns, rows], of elements of 1, 2, 4 or 8 bytes. They do not overlap.
void transpose(const SimdTable& simd, size_t element, const std::byte* from, std::byte* to, int64_t rows,
               int64_t columns);

/// Whether transpose() has a vectorised loop for it.
bool transposes_in_vectors(const SimdTable& simd, size_t element, int64_t rows, int64_t columns);

}  // namespace hw::cpu
