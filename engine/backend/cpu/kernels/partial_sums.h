// Sums of partial results: what reductions, products and convolutions share.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/backend/cpu/kernels/kernel.h"
#include "engine/core/parallel.h"

namespace hw::cpu {

/// f(first element, how many) for parts of `size` elements. In parallel where there are some, unless `alone`.
template <class F>
void each_part(int64_t size, bool alone, F f) {
  constexpr int64_t kPart = 16384;
  const int64_t parts = (size + kPart - 1) / kPart;
  const auto part = [&](int64_t k) { f(k * kPart, std::min(size - k * kPart, kPart)); };
  if (parts <= 2 || alone)
    for (int64_t k = 0; k < parts; ++k) part(k);
  else
    parallel_for(parts, part);
}

/// Adds the partials of `size` elements in order, in f64: f(first element, how many, their sums) for parts of them. In
/// parallel where they are large, unless `alone`.
template <class T, class F>
void each_sum(const std::byte* partials, size_t stride, int64_t groups, int64_t size, bool alone, F f) {
  each_part(size, alone, [&](int64_t first, int64_t count) {
    std::vector<double> total(static_cast<size_t>(count), 0.0);
    for (int64_t g = 0; g < groups; ++g) {
      const T* sums = reinterpret_cast<const T*>(partials + static_cast<size_t>(g) * stride) + first;
      for (int64_t i = 0; i < count; ++i) total[static_cast<size_t>(i)] += static_cast<double>(sums[i]);
    }
    f(first, count, total.data());
  });
}

/// The only partial as a sum of one: in T it is the same number, and T is rounded in vectors where it is f32.
/// Where f32 is stored as f32, nothing is counted as rounded because nothing is.
template <class T>
void finish_only(const T* sums, const Operand& out, bool alone) {
  constexpr int64_t kAtOnce = 1024;
  each_part(out.size(), alone, [&](int64_t first, int64_t count) {
    T total[kAtOnce];
    for (int64_t at = first; at < first + count; at += kAtOnce) {
      const int64_t n = std::min(kAtOnce, first + count - at);
      for (int64_t i = 0; i < n; ++i) total[i] = T(0) + sums[at + i];  // -0 becomes 0
      store(out, at, n, sizeof(T) == sizeof(double) ? DType::f64 : DType::f32, total);
    }
  });
}

/// Adds the partials in order, in f64, and rounds once.
template <class T>
void finish_sums(const std::byte* partials, size_t stride, int64_t groups, const Operand& out) {
  const bool counts = out.losses;  // by one thread at a time
  if (groups == 1) return finish_only<T>(reinterpret_cast<const T*>(partials), out, counts);
  each_sum<T>(partials, stride, groups, out.size(), counts,
              [&](int64_t first, int64_t count, const double* sums) { store(out, first, count, DType::f64, sums); });
}

}  // namespace hw::cpu
