// Dropout by the words of a draw, one an element.
#pragma once

#include <cmath>
#include <cstdint>

#include "engine/kernels/body.h"

namespace hw::kernels {

/// The top 24 bits of a word are below it where an element is kept: u < 1 − p.
inline uint32_t keep_below(double p) {
  return static_cast<uint32_t>(std::ceil((1 - p) * 16777216.0));
}

/// What kept elements are multiplied by: 1 / (1 − p); 0 where none is kept.
inline double keep_factor(double p) {
  return p < 1 ? 1 / (1 - p) : 0;
}

/// `factor`: keep_factor(p).
template <class T>
HW_BODY T dropout(T x, uint32_t word, uint32_t keep_below, T factor) {
  return (word >> 8) < keep_below ? x * factor : T(0);
}

}  // namespace hw::kernels
