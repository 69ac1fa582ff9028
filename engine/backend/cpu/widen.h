// Whole tiles as f32, and sums of partial results: what products and convolutions share.
#pragma once

#include <vector>

#include "engine/backend/cpu/kernel.h"
#include "engine/core/convert.h"

namespace hw::cpu {

/// The operand as f32: its own memory, or widened into scratch, which then moves on.
inline const float* widened(const Operand& x, std::byte*& scratch) {
  if (x.dtype == DType::f32) return x.as<float>();
  auto* wide = reinterpret_cast<float*>(scratch);
  convert(DType::f32, wide, x.dtype, x.data, static_cast<size_t>(x.size()));
  scratch += padded(static_cast<size_t>(x.size()) * sizeof(float));
  return wide;
}

/// What widened() takes of the scratch.
inline size_t wide_bytes(DType dtype, int64_t count) {
  return dtype == DType::f32 ? 0 : padded(static_cast<size_t>(count) * sizeof(float));
}

/// Adds the partials in order, in f64, and rounds once.
template <class T>
void finish_sums(const std::byte* partials, size_t stride, int64_t chunks, const Operand& out) {
  const auto size = static_cast<size_t>(out.size());
  std::vector<double> total(size, 0.0);
  for (int64_t c = 0; c < chunks; ++c) {
    const auto* sums = reinterpret_cast<const T*>(partials + static_cast<size_t>(c) * stride);
    for (size_t i = 0; i < size; ++i) total[i] += static_cast<double>(sums[i]);
  }
  convert(out.dtype, out.data, DType::f64, total.data(), size);
}

}  // namespace hw::cpu
