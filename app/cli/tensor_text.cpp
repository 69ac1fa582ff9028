#include "app/cli/tensor_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace hw::cli {
namespace {

struct Statistics {
  double min = INFINITY, max = -INFINITY, mean = 0, std = 0;
  size_t finite = 0, zeros = 0, subnormal = 0, nan = 0, infinite = 0;
};

Statistics statistics(const std::vector<double>& values, const DTypeInfo& dtype) {
  Statistics s;
  double squares = 0;
  for (const double v : values) {
    if (!std::isfinite(v)) {
      ++(std::isnan(v) ? s.nan : s.infinite);
      continue;
    }
    s.min = std::min(s.min, v);
    s.max = std::max(s.max, v);
    s.zeros += v == 0;
    s.subnormal += dtype.is_float && v != 0 && std::abs(v) < dtype.min_normal;
    // Welford's update: stable for means far from zero.
    const double delta = v - s.mean;
    s.mean += delta / static_cast<double>(++s.finite);
    squares += delta * (v - s.mean);
  }
  if (s.finite) s.std = std::sqrt(squares / static_cast<double>(s.finite));
  return s;
}

/// Counts by exponent, in at most 12 ranges of equal width.
std::string histogram(const std::vector<double>& values, const std::string& indent) {
  int lo = 5000, hi = -5000;
  for (const double v : values) {
    if (v == 0 || !std::isfinite(v)) continue;
    lo = std::min(lo, std::ilogb(v));
    hi = std::max(hi, std::ilogb(v));
  }
  if (lo > hi) return "";
  const int width = std::max(1, (hi - lo + 12) / 12);
  std::vector<size_t> counts(static_cast<size_t>((hi - lo) / width + 1));
  for (const double v : values) {
    if (v != 0 && std::isfinite(v)) ++counts[static_cast<size_t>((std::ilogb(v) - lo) / width)];
  }
  const double most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  std::string out;
  for (size_t i = 0; i < counts.size(); ++i) {
    const int from = lo + static_cast<int>(i) * width;
    char line[120];
    std::snprintf(line, sizeof line, "|x| 2^%-4d to 2^%-4d %10zu ", from, from + width, counts[i]);
    out += indent + line + std::string(static_cast<size_t>(std::ceil(30 * static_cast<double>(counts[i]) / most)), '#');
    out += "\n";
  }
  return out;
}

}  // namespace

std::string describe(const Tensor& tensor, const std::string& indent) {
  const DTypeInfo& dtype = info(tensor.dtype());
  const std::vector<double> values = tensor.to_f64();
  const Statistics s = statistics(values, dtype);
  std::string out = indent + std::string(dtype.name) + " " + to_string(tensor.dims()) + "\n";
  char line[240];
  if (s.finite) {
    std::snprintf(line, sizeof line, "min %.6g  max %.6g  mean %.6g  std %.6g\n", s.min, s.max, s.mean, s.std);
    out += indent + line;
  }
  std::snprintf(line, sizeof line, "zeros %zu  subnormal %zu  NaN %zu  Inf %zu  of %zu\n", s.zeros, s.subnormal, s.nan,
                s.infinite, values.size());
  out += indent + line;
  if (dtype.is_float) out += histogram(values, indent);
  return out;
}

}  // namespace hw::cli
