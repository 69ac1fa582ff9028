// Sums of partial results: what reductions, products and convolutions share.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/backend/cpu/kernel.h"
#include "engine/core/parallel.h"

namespace hw::cpu {

/// Adds the partials in order, in f64, and rounds once. In parallel inside where they are large.
template <class T>
void finish_sums(const std::byte* partials, size_t stride, int64_t groups, const Operand& out) {
  constexpr int64_t kPart = 16384;
  const int64_t size = out.size(), parts = (size + kPart - 1) / kPart;
  std::vector<double> total(static_cast<size_t>(size), 0.0);
  const auto add = [&](int64_t part) {
    const int64_t end = std::min(size, (part + 1) * kPart);
    double* sum = total.data();
    for (int64_t g = 0; g < groups; ++g) {
      const auto* sums = reinterpret_cast<const T*>(partials + static_cast<size_t>(g) * stride);
      for (int64_t i = part * kPart; i < end; ++i) sum[i] += static_cast<double>(sums[i]);
    }
  };
  if (parts <= 2)
    for (int64_t part = 0; part < parts; ++part) add(part);
  else
    parallel_for(parts, add);
  store(out, 0, size, DType::f64, total.data());
}

}  // namespace hw::cpu
