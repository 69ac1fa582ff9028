// Rows of tensors: what lies at one place of axis 0.
#pragma once

#include <span>

#include "engine/core/tensor.h"

namespace hw {

/// `from` [n, ..], its rows `rows` in that order, each below n: [rows, ..].
Tensor rows_of(const Tensor& from, std::span<const int64_t> rows);
/// [n, m] as [m, n].
Tensor transposed(const Tensor& matrix);
/// [n, ..] and [m, ..] of one dtype: [n + m, ..].
Tensor joined_rows(const Tensor& first, const Tensor& then);

}  // namespace hw
