#include "engine/core/tensor_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/convert.h"

namespace hw {
namespace {

constexpr int kLowest = -1080, kHighest = 1030;  // every exponent an f64 can have
constexpr int kReadableOctaves = 48;
constexpr int kMargin = 2;

}  // namespace

TensorStatistics measure(const Tensor& tensor) {
  TensorStatistics s;
  if (tensor.empty()) return s;
  s.count = tensor.size();
  const DTypeInfo& row = info(tensor.dtype());
  std::vector<int64_t> octaves(kHighest - kLowest, 0);
  std::array<double, 4096> block;
  s.min = INFINITY;
  s.max = -INFINITY;
  double mean = 0, squares = 0;  // Welford: no cancellation for values far from zero
  int64_t finite = 0;
  const auto* bytes = static_cast<const std::byte*>(tensor.data());
  for (int64_t at = 0; at < s.count; at += static_cast<int64_t>(block.size())) {
    const size_t n = std::min(block.size(), static_cast<size_t>(s.count - at));
    convert(DType::f64, block.data(), tensor.dtype(), bytes + static_cast<size_t>(at) * size_of(tensor.dtype()), n);
    for (size_t i = 0; i < n; ++i) {
      const double v = block[i];
      if (std::isnan(v)) {
        ++s.nans;
        continue;
      }
      if (std::isinf(v)) {
        ++s.infs;
        continue;
      }
      ++finite;
      const double step = v - mean;
      mean += step / static_cast<double>(finite);
      squares += step * (v - mean);
      s.min = std::min(s.min, v);
      s.max = std::max(s.max, v);
      if (v == 0) {
        ++s.zeros;
        continue;
      }
      const double size = std::abs(v);
      s.subnormal += row.is_float && size < row.min_normal;
      s.saturated += size >= row.max;
      ++octaves[static_cast<size_t>(std::ilogb(size) - kLowest)];
    }
  }
  if (finite == 0) s.min = s.max = 0;
  s.mean = mean;
  s.deviation = finite > 1 ? std::sqrt(squares / static_cast<double>(finite)) : 0;

  const auto used = [&](int e) { return octaves[static_cast<size_t>(e - kLowest)] > 0; };
  int low = kHighest, high = kLowest;
  for (int e = kLowest; e < kHighest; ++e) {
    if (used(e)) low = std::min(low, e), high = std::max(high, e);
  }
  if (low > high) low = -8, high = 8;
  low -= kMargin;
  high += kMargin;
  if (row.is_float) {
    const int band_low = std::ilogb(row.min_subnormal), band_high = std::ilogb(row.max);
    if (band_high - band_low <= kReadableOctaves) {
      low = std::min(low, band_low - kMargin);
      high = std::max(high, band_high + kMargin);
    }
  }
  low = std::max(low, kLowest);
  high = std::min(high, kHighest - 1);
  s.first = low;
  s.bins.assign(octaves.begin() + (low - kLowest), octaves.begin() + (high + 1 - kLowest));
  return s;
}

}  // namespace hw
