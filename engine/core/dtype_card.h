// How a dtype is described to users, besides the numbers of its row.
#pragma once

#include "engine/core/dtype.h"

namespace hw {

/// Bits of a number: of tf32 those that a product reads (19), else those that are stored.
inline int bits_of(const DTypeInfo& row) {
  return row.storable ? row.bits : 1 + row.exponent_bits + row.mantissa_bits;
}

/// "Inf NaN", "NaN"; "-": a whole number, which has neither.
inline std::string_view specials_of(const DTypeInfo& row) {
  if (!row.is_float) return "-";
  return row.has_inf ? "Inf NaN" : "NaN";
}

/// Distance from 1 to the next larger number. Floats only.
inline double epsilon_of(const DTypeInfo& row) {
  double epsilon = 1;
  for (int bit = 0; bit < row.mantissa_bits; ++bit) epsilon /= 2;
  return epsilon;
}

}  // namespace hw
