#include "engine/core/magnitudes.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/core/convert.h"
#include "engine/core/dispatch.h"

namespace hw {
namespace {

template <class Bits>
double decoded(DType dtype, Bits bits) {
  double value = 0;
  convert(DType::f64, &value, dtype, &bits, 1);
  return value;
}

/// Magnitudes order as their bits do; Inf and NaN lie above all numbers.
template <class Bits>
Magnitudes scan(DType dtype, const Bits* x, int64_t count) {
  const DTypeInfo& row = info(dtype);
  constexpr Bits kMask = std::numeric_limits<Bits>::max() >> 1;
  const Bits first_bad =
      row.has_inf ? static_cast<Bits>(((Bits{1} << row.exponent_bits) - 1) << row.mantissa_bits) : kMask;
  Bits high = 0, low = std::numeric_limits<Bits>::max();
  for (int64_t i = 0; i < count; ++i) {
    const Bits m = x[i] & kMask;
    high = std::max(high, m);
    low = std::min(low, static_cast<Bits>(m - 1));  // 0 becomes the largest
  }
  Magnitudes r;
  if (high >= first_bad) {
    high = 0;
    low = std::numeric_limits<Bits>::max();
    for (int64_t i = 0; i < count; ++i) {
      const Bits m = x[i] & kMask;
      if (m < first_bad) {
        high = std::max(high, m);
        low = std::min(low, static_cast<Bits>(m - 1));
        continue;
      }
      if (r.first_bad < 0) r.first_bad = i;
      ++(row.has_inf && m == first_bad ? r.infs : r.nans);
    }
  }
  if (high == 0) return r;
  r.smallest = decoded(dtype, static_cast<Bits>(low + 1));
  r.largest = decoded(dtype, high);
  return r;
}

}  // namespace

Magnitudes magnitudes_of(DType dtype, const void* elements, int64_t count) {
  if (!info(dtype).is_float) return {};
  return dispatch(dtype, [&](auto stored) {
    constexpr size_t kBytes = sizeof(typename decltype(stored)::Raw);
    using Bits = std::conditional_t<
        kBytes == 1, uint8_t,
        std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;
    return scan(dtype, static_cast<const Bits*>(elements), count);
  });
}

Magnitudes magnitudes_of(const Tensor& tensor) {
  return magnitudes_of(tensor.dtype(), tensor.data(), tensor.size());
}

double element_of(const Tensor& tensor, int64_t index) {
  double value = 0;
  const auto* bytes = static_cast<const std::byte*>(tensor.data());
  convert(DType::f64, &value, tensor.dtype(), bytes + static_cast<size_t>(index) * size_of(tensor.dtype()), 1);
  return value;
}

}  // namespace hw
