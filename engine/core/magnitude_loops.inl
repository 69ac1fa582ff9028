// The loops behind MagnitudeKernels, which the compiler vectorises for the instruction set of the file that includes
// this.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "engine/core/magnitude_kernels.h"

namespace hw {
namespace {

// Lies in the first-level cache while the rarer counts pass over it again; a count of it fits in 16 bits.
constexpr int64_t kMagnitudeBlock = 4096;

/// Counters as wide as what is compared, so that one vector holds as many of both.
template <class Bits>
using MagnitudeCount = std::conditional_t<sizeof(Bits) == 1, uint16_t, Bits>;

template <class Bits, class Is>
int64_t count_where(const Bits* x, int64_t n, Is is) {
  MagnitudeCount<Bits> found = 0;
  for (int64_t i = 0; i < n; ++i) found = static_cast<MagnitudeCount<Bits>>(found + is(x[i]));
  return static_cast<int64_t>(found);
}

template <class Bits>
MagnitudeCounts<Bits> count_magnitudes(const MagnitudeLimits<Bits>& limits, const Bits* x, int64_t count) {
  constexpr Bits kMask = std::numeric_limits<Bits>::max() >> 1;
  constexpr Bits kNone = std::numeric_limits<Bits>::max();
  const Bits subnormals = static_cast<Bits>(limits.normal - 1), max = limits.max, first_bad = limits.first_bad;
  MagnitudeCounts<Bits> all;
  for (int64_t at = 0; at < count; at += kMagnitudeBlock) {
    const Bits* block = x + at;
    const int64_t n = std::min(kMagnitudeBlock, count - at);
    Bits high = 0, low = kNone;
    MagnitudeCount<Bits> zeros = 0;
    for (int64_t i = 0; i < n; ++i) {
      const Bits m = block[i] & kMask;
      high = std::max(high, m);
      low = std::min(low, static_cast<Bits>(m - 1));  // 0 becomes the largest
      zeros = static_cast<MagnitudeCount<Bits>>(zeros + (m == 0));
    }
    all.zeros += static_cast<int64_t>(zeros);
    if (low < subnormals)
      all.subnormal += count_where(
          block, n, [subnormals](Bits b) -> bool { return static_cast<Bits>((b & kMask) - 1) < subnormals; });
    if (high >= max) all.saturated += count_where(block, n, [max](Bits b) -> bool { return (b & kMask) == max; });
    if (high >= first_bad) {
      high = 0;
      low = kNone;
      for (int64_t i = 0; i < n; ++i) {
        const Bits m = block[i] & kMask;
        if (m < first_bad) {
          high = std::max(high, m);
          low = std::min(low, static_cast<Bits>(m - 1));
          continue;
        }
        if (all.first_bad < 0) all.first_bad = at + i;
        ++(limits.has_inf && m == first_bad ? all.infs : all.nans);
      }
    }
    all.high = std::max(all.high, high);
    all.low = std::min(all.low, low);
  }
  return all;
}

constexpr MagnitudeKernels kMagnitudeLoops{count_magnitudes<uint8_t>, count_magnitudes<uint16_t>,
                                           count_magnitudes<uint32_t>, count_magnitudes<uint64_t>};

}  // namespace
}  // namespace hw
