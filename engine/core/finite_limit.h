// The largest number that a dtype still takes.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/core/convert.h"

namespace hw {

/// The largest T (float, double) that rounds to a finite number of the float dtype `to`: 65519.996 for f16, whose
/// largest number is 65504. What is not ≤ it in magnitude becomes Inf or NaN when it is stored.
template <class T>
T finite_limit(DType to) {
  constexpr DType kFrom = sizeof(T) == 8 ? DType::f64 : DType::f32;
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  constexpr T kMost = std::numeric_limits<T>::max();
  if (to == kFrom || info(to).max >= static_cast<double>(kMost)) return kMost;
  const auto fits = [&](Bits bits) {
    const T x = std::bit_cast<T>(bits);
    uint64_t stored = 0;
    double back = 0;
    convert(to, &stored, kFrom, &x, 1);
    convert(DType::f64, &back, to, &stored, 1);
    return std::isfinite(back);
  };
  auto low = std::bit_cast<Bits>(static_cast<T>(info(to).max)), high = std::bit_cast<Bits>(kMost);
  if (fits(high)) return kMost;
  while (high - low > 1) {
    const Bits middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return std::bit_cast<T>(low);
}

}  // namespace hw
