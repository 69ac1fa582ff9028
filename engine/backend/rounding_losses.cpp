#include "engine/backend/rounding_losses.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/core/convert.h"

namespace hw {
namespace {

constexpr int64_t kBlock = 4096;  // counts of one fit in 16 bits

/// What is 0 stays 0, so the zeros that were made are those that are there less those that were.
template <class Bits, class Number>
void count_losses(RoundingLosses& losses, DType to, const Bits* stored, const Number* numbers, int64_t count) {
  using Count = std::conditional_t<sizeof(Bits) == 1, uint16_t, Bits>;
  const DTypeInfo& row = info(to);
  constexpr Bits kMask = std::numeric_limits<Bits>::max() >> 1;
  const Bits first_bad =
      row.has_inf ? static_cast<Bits>(((Bits{1} << row.exponent_bits) - 1) << row.mantissa_bits) : kMask;
  Count zeros = 0;
  Bits high = 0;
  for (int64_t i = 0; i < count; ++i) {
    const Bits magnitude = stored[i] & kMask;
    zeros = static_cast<Count>(zeros + (magnitude == 0));
    high = std::max(high, magnitude);
  }
  losses.rounded += count;
  if (zeros > 0) {
    std::conditional_t<sizeof(Number) == 8, uint64_t, uint32_t> before = 0;  // as wide as what is compared: vectorised
    for (int64_t i = 0; i < count; ++i) before += numbers[i] == 0;
    losses.underflowed += static_cast<int64_t>(zeros) - static_cast<int64_t>(before);
  }
  if (high < first_bad) return;
  for (int64_t i = 0; i < count; ++i)
    losses.overflowed += std::isfinite(numbers[i]) && (stored[i] & kMask) >= first_bad;
}

template <class Number>
void count_block(RoundingLosses& losses, DType to, const void* stored, const Number* numbers, int64_t n) {
  switch (size_of(to)) {
    case 1:
      return count_losses(losses, to, static_cast<const uint8_t*>(stored), numbers, n);
    case 2:
      return count_losses(losses, to, static_cast<const uint16_t*>(stored), numbers, n);
    case 4:
      return count_losses(losses, to, static_cast<const uint32_t*>(stored), numbers, n);
    default:
      break;
  }
}

template <class Number>
void count_rounded(RoundingLosses& losses, DType to, const void* stored, const Number* numbers, int64_t n) {
  for (int64_t at = 0; at < n; at += kBlock)
    count_block(losses, to, static_cast<const std::byte*>(stored) + static_cast<size_t>(at) * size_of(to), numbers + at,
                std::min(kBlock, n - at));
}

}  // namespace

RoundingLosses& RoundingLosses::operator+=(const RoundingLosses& other) {
  rounded += other.rounded;
  underflowed += other.underflowed;
  overflowed += other.overflowed;
  seconds += other.seconds;
  return *this;
}

void RoundingLosses::add(DType to, const void* stored, DType from, const void* numbers, int64_t count) {
  if (!info(to).is_float || embeds(from, to)) return;
  if (from == DType::f32) return count_rounded(*this, to, stored, static_cast<const float*>(numbers), count);
  if (from == DType::f64) return count_rounded(*this, to, stored, static_cast<const double*>(numbers), count);
  std::array<double, 512> wide;
  for (int64_t at = 0; at < count; at += static_cast<int64_t>(wide.size())) {
    const int64_t n = std::min(count - at, static_cast<int64_t>(wide.size()));
    const auto first = static_cast<size_t>(at);
    convert(DType::f64, wide.data(), from, static_cast<const std::byte*>(numbers) + first * size_of(from),
            static_cast<size_t>(n));
    count_rounded(*this, to, static_cast<const std::byte*>(stored) + first * size_of(to), wide.data(), n);
  }
}

}  // namespace hw
