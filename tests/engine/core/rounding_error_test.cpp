// Units in the last place against the library's functions for exponents.
#include "engine/core/rounding_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace hw {
namespace {

double expected(double x, const DTypeInfo& row) {
  const int lowest = std::ilogb(row.min_normal), highest = std::ilogb(row.max);
  const int e = x == 0 ? lowest : std::isfinite(x) ? std::clamp(std::ilogb(x), lowest, highest) : highest;
  return std::ldexp(1.0, e - row.mantissa_bits);
}

TEST(UlpAt, IsThatOfTheDType) {
  std::mt19937_64 random(1);
  for (int dtype = 0; dtype < kDTypeCount; ++dtype) {
    const DTypeInfo& row = info(static_cast<DType>(dtype));
    if (!row.is_float) {
      EXPECT_EQ(ulp_at(3, row.dtype), 1);
      continue;
    }
    for (uint64_t exponent = 0; exponent < 2048; ++exponent)
      for (int k = 0; k < 6; ++k) {
        const uint64_t mantissa = k == 0 ? 0 : k == 1 ? ~uint64_t{0} >> 12 : random() >> 12;
        const double x = std::bit_cast<double>(exponent << 52 | mantissa | (random() & uint64_t{1} << 63));
        ASSERT_EQ(ulp_at(x, row.dtype), expected(x, row)) << row.name << " at " << x;
      }
  }
}

}  // namespace
}  // namespace hw
