#include "engine/backend/rounding_losses.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "engine/core/convert.h"

namespace hw {
namespace {

template <class Bits, class Number>
void count_losses(RoundingLosses& losses, DType to, const Bits* stored, const Number* numbers, int64_t count) {
  using NumberBits = std::conditional_t<sizeof(Number) == 8, uint64_t, uint32_t>;
  const DTypeInfo& row = info(to);
  constexpr Bits kMask = std::numeric_limits<Bits>::max() >> 1;
  const Bits first_bad =
      row.has_inf ? static_cast<Bits>(((Bits{1} << row.exponent_bits) - 1) << row.mantissa_bits) : kMask;
  constexpr Number kMax = std::numeric_limits<Number>::max();
  constexpr int64_t kBlock = 4096;  // 32-bit sums
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(count, begin + kBlock);
    NumberBits under = 0, over = 0;
    for (int64_t i = begin; i < end; ++i) {
      const Bits magnitude = stored[i] & kMask;
      const Number x = numbers[i];
      under += NumberBits(x != 0) & NumberBits(magnitude == 0);
      over += NumberBits(x <= kMax) & NumberBits(x >= -kMax) & NumberBits(magnitude >= first_bad);
    }
    losses.underflowed += static_cast<int64_t>(under);
    losses.overflowed += static_cast<int64_t>(over);
  }
  losses.rounded += count;
}

template <class Number>
void count_rounded(RoundingLosses& losses, DType to, const void* stored, const Number* numbers, int64_t n) {
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

}  // namespace

RoundingLosses& RoundingLosses::operator+=(const RoundingLosses& other) {
  rounded += other.rounded;
  underflowed += other.underflowed;
  overflowed += other.overflowed;
  return *this;
}

void RoundingLosses::add(DType to, const void* stored, DType from, const void* numbers, int64_t count) {
  if (to == from || !info(to).is_float) return;
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
