// Sums of contributions that land anywhere, the same bits in whatever order they land: every contribution is rounded to
// a whole multiple of a power of two and added as an integer. The unit is so small that all of them together just fit
// into 63 bits: with 2^20 contributions each is good to 2^-43 of the largest gradient. What is not finite makes NaN.
#pragma once

#include <cmath>
#include <limits>

#include "engine/backend/gpu/ops/sums.h"

namespace hw::gpu {

HW_BODY void add_to(int64_t* sum, int64_t value) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
#else
  *sum += value;
#endif
}

/// |x| where it is finite, else 0.
struct FiniteMagnitude {
  kernels::Source x;
  HW_BODY double operator()(int64_t, int64_t k) const {
    const double v = x.at<double>(k);
    return v - v == 0 ? std::fabs(v) : 0.0;
  }

  HW_KERNEL(FiniteMagnitude, x.dtype)
};

/// The sums while they are made: `count` elements.
struct ExactSums {
  int64_t* sums;
  uint8_t* bad;           // 1: something that is not finite landed here
  const double* largest;  // of the magnitudes of what is added
  int bits;               // the largest has this many

  HW_BODY int unit() const {  // the exponent of what 1 stands for
    int exponent = 0;
    if (*largest > 0) std::frexp(*largest, &exponent);
    return exponent - bits;
  }
  HW_BODY void add(int64_t at, double value) const {
    if (value - value != 0)
      bad[at] = 1;
    else
      add_to(sums + at, std::llrint(std::ldexp(value, -unit())));
  }
  /// The sum at one place, once all is added.
  HW_BODY double value(int64_t at) const {
    const double sum = std::ldexp(static_cast<double>(sums[at]), unit());
    return bad[at] ? std::numeric_limits<double>::quiet_NaN() : sum;
  }
};

struct StoreExactSums {
  ExactSums from;
  kernels::Target y;
  HW_BODY void operator()(int64_t i) const { y.put(i, from.value(i)); }

  HW_KERNEL(StoreExactSums, y.dtype)
};

/// What storing took away, where something was added: see RoundingLosses. touched: one mark for 16 elements.
struct CountLosses {
  ExactSums from;
  kernels::Source stored;
  const uint8_t* touched;
  HW_BODY double operator()(int64_t count, int64_t k) const {
    if (!touched[k / 16]) return 0;
    const double sum = from.value(k), left = stored.at<double>(k);
    if (count == 0) return 1;
    if (count == 1) return sum != 0 && left == 0 ? 1 : 0;
    return sum - sum == 0 && left - left != 0 ? 1 : 0;
  }

  HW_KERNEL(CountLosses, stored.dtype)
};

/// Zeroed sums for `count` elements of at most `contributions` numbers, each no larger than bound(0, k) for a k below
/// `size`.
template <class Launcher, class Bound>
ExactSums exact_sums_below(OpContext& c, const Bound& bound, int64_t size, int64_t count, int64_t contributions) {
  int bits = 62;
  for (int64_t n = 1; n < contributions; n *= 2) --bits;
  const ExactSums s{c.scratch<int64_t>(count), c.scratch<uint8_t>(count),
                    sums<Launcher, KeepLargest>(c, bound, 1, size, true), bits};
  c.clear(s.sums, static_cast<size_t>(count) * sizeof(int64_t));
  c.clear(s.bad, static_cast<size_t>(count));
  return s;
}
/// Sums of products of a weight in [0, 1] and an element of g.
template <class Launcher>
ExactSums exact_sums(OpContext& c, const kernels::Source& g, int64_t g_size, int64_t count, int64_t contributions) {
  return exact_sums_below<Launcher>(c, FiniteMagnitude{g}, g_size, count, contributions);
}

}  // namespace hw::gpu
