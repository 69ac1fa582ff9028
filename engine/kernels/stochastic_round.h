// The scalar body of the stochastic cast: see CastAttr (engine/program/program.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/kernels/body.h"

namespace hw::kernels {

/// A format by its mantissa bits and the binary exponent of its smallest normal number.
struct RoundingFormat {
  int mantissa_bits, min_exponent;
};

/// x rounded to a neighbour in the format, away from 0 where u < the share of the way to it; u in [0, 1), a multiple of
/// 2^-24. Beyond the format's largest number: as if its exponents went on. ±0, ±Inf and NaN stay.
HW_BODY double stochastic_round(double x, RoundingFormat format, double u) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const uint64_t sign = bits & 0x8000000000000000u, magnitude = bits ^ sign;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent == 1024 || magnitude == 0) return x;
  const int below = exponent < format.min_exponent ? format.min_exponent - exponent : 0;
  const int shift = 52 - format.mantissa_bits + below;  // bits that are dropped
  const double least = std::ldexp(1.0, format.min_exponent - format.mantissa_bits);
  if (shift > 52) {  // between 0 and the smallest number
    const double away = u < std::fabs(x) / least ? least : 0.0;
    return sign ? -away : away;
  }
  if (shift <= 0) return x;
  const uint64_t unit = uint64_t{1} << shift, rest = magnitude & (unit - 1);
  const double share = static_cast<double>(rest) / static_cast<double>(unit);
  const uint64_t rounded = sign | (magnitude - rest + (u < share ? unit : 0));
  double y;
  std::memcpy(&y, &rounded, sizeof y);
  return y;
}

}  // namespace hw::kernels
