#include "engine/core/rounding_error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "engine/core/convert.h"

namespace hw {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int kMantissaBits = 52, kLeastExponent = -1022;  // of f64, and of its normal numbers

/// The exponent of a normal number; below all of them for others near 0, above for Inf and NaN. From the bits: the
/// library's functions for it took a third of an X-ray.
int exponent(double x) {
  return static_cast<int>(std::bit_cast<uint64_t>(x) >> kMantissaBits & 0x7ff) + kLeastExponent - 1;
}

/// Calls f(index, value, reference) for every element, in order.
template <class F>
void for_each(const Tensor& value, const Tensor& reference, F&& f) {
  assert(value.size() == reference.size());
  std::array<double, 1024> a, b;
  const auto block = [](const Tensor& t, size_t at, size_t n, double* to) {
    convert(DType::f64, to, t.dtype(), static_cast<const std::byte*>(t.data()) + at * size_of(t.dtype()), n);
  };
  const auto count = static_cast<size_t>(value.size());
  for (size_t at = 0; at < count; at += a.size()) {
    const size_t n = std::min(a.size(), count - at);
    block(value, at, n, a.data());
    block(reference, at, n, b.data());
    for (size_t i = 0; i < n; ++i) f(static_cast<int64_t>(at + i), a[i], b[i]);
  }
}

}  // namespace

double ulp_at(double x, DType dtype) {
  const DTypeInfo& row = info(dtype);
  if (!row.is_float) return 1;
  const int e = std::clamp(exponent(x), exponent(row.min_normal), exponent(row.max)) - row.mantissa_bits;
  if (e < kLeastExponent) return std::ldexp(1.0, e);
  return std::bit_cast<double>(static_cast<uint64_t>(e - kLeastExponent + 1) << kMantissaBits);
}

int significand_bits(DType dtype) {
  return info(info(dtype).is_float ? dtype : DType::f64).mantissa_bits + 1;
}

ElementError error_of(double value, double reference, DType dtype) {
  if (value == reference || (std::isnan(value) && std::isnan(reference))) return {};
  if (!std::isfinite(value) || !std::isfinite(reference)) return {kInf, kInf};
  const double off = std::abs(value - reference);
  return {off / ulp_at(reference, dtype), reference == 0 ? kInf : off / std::abs(reference)};
}

RoundingError compare(const Tensor& value, const Tensor& reference, DType dtype) {
  RoundingError e;
  double ulps = 0, off = 0, size = 0;
  int64_t finite = 0;
  for_each(value, reference, [&](int64_t, double v, double r) {
    const ElementError of = error_of(v, r, dtype);
    if (!std::isfinite(v) || !std::isfinite(r)) {
      ++(of.ulps == 0 ? e.not_finite_on_both : e.not_finite);
      return;
    }
    ++finite;
    ulps += of.ulps;
    e.max_ulps = std::max(e.max_ulps, of.ulps);
    e.max_relative = std::max(e.max_relative, of.relative);
    off += (v - r) * (v - r);
    size += r * r;
  });
  if (finite > 0) e.mean_ulps = ulps / static_cast<double>(finite);
  e.relative = off == 0 ? 0 : size == 0 ? kInf : std::sqrt(off / size);
  if (finite == 0 && e.not_finite > 0) e.max_ulps = e.mean_ulps = e.relative = e.max_relative = kInf;
  const double most = significand_bits(dtype);
  e.bits_left = e.relative == 0 ? most : std::clamp(-std::log2(e.relative), 0.0, most) + 0.0;  // no -0
  if (e.not_finite > 0 || (finite == 0 && e.not_finite_on_both > 0)) e.bits_left = 0;
  return e;
}

std::vector<int64_t> worst_elements(const Tensor& value, const Tensor& reference, DType dtype, size_t count) {
  using Entry = std::pair<double, int64_t>;  // ULPs, −index: the first of equals is the larger
  std::vector<Entry> worst;                  // a heap, least on top
  for_each(value, reference, [&](int64_t i, double v, double r) {
    const Entry entry{error_of(v, r, dtype).ulps, -i};
    if (entry.first == 0 || count == 0 || (worst.size() == count && entry <= worst.front())) return;
    if (worst.size() == count) {
      std::pop_heap(worst.begin(), worst.end(), std::greater<>());
      worst.pop_back();
    }
    worst.push_back(entry);
    std::push_heap(worst.begin(), worst.end(), std::greater<>());
  });
  std::sort(worst.begin(), worst.end(), std::greater<>());
  std::vector<int64_t> indices;
  for (const Entry& entry : worst) indices.push_back(-entry.second);
  return indices;
}

}  // namespace hw
