// Sums of partial results: what reductions, products and convolutions share.
#pragma once

#include <vector>

#include "engine/backend/cpu/kernel.h"

namespace hw::cpu {

/// Adds the partials in order, in f64, and rounds once.
template <class T>
void finish_sums(const std::byte* partials, size_t stride, int64_t chunks, const Operand& out) {
  const auto size = static_cast<size_t>(out.size());
  std::vector<double> total(size, 0.0);
  for (int64_t c = 0; c < chunks; ++c) {
    const auto* sums = reinterpret_cast<const T*>(partials + static_cast<size_t>(c) * stride);
    for (size_t i = 0; i < size; ++i) total[i] += static_cast<double>(sums[i]);
  }
  store(out, 0, out.size(), DType::f64, total.data());
}

}  // namespace hw::cpu
