// Sums of partial results: what reductions, products and convolutions share.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/backend/cpu/kernel.h"
#include "engine/core/parallel.h"

namespace hw::cpu {

/// Adds the partials of `size` elements in order, in f64: f(first element, how many, their sums) for parts of them. In
/// parallel where they are large, unless `alone`.
template <class T, class F>
void each_sum(const std::byte* partials, size_t stride, int64_t groups, int64_t size, bool alone, F f) {
  constexpr int64_t kPart = 16384;
  const int64_t parts = (size + kPart - 1) / kPart;
  const auto add = [&](int64_t part) {
    const int64_t first = part * kPart, count = std::min(size - first, kPart);
    std::vector<double> total(static_cast<size_t>(count), 0.0);
    for (int64_t g = 0; g < groups; ++g) {
      const T* sums = reinterpret_cast<const T*>(partials + static_cast<size_t>(g) * stride) + first;
      for (int64_t i = 0; i < count; ++i) total[static_cast<size_t>(i)] += static_cast<double>(sums[i]);
    }
    f(first, count, total.data());
  };
  if (parts <= 2 || alone)
    for (int64_t part = 0; part < parts; ++part) add(part);
  else
    parallel_for(parts, add);
}

/// Adds the partials in order, in f64, and rounds once.
template <class T>
void finish_sums(const std::byte* partials, size_t stride, int64_t groups, const Operand& out) {
  const bool counts = out.losses;  // by one thread at a time
  each_sum<T>(partials, stride, groups, out.size(), counts,
              [&](int64_t first, int64_t count, const double* sums) { store(out, first, count, DType::f64, sums); });
}

}  // namespace hw::cpu
