#include "app/cli/print/tensor_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/cli/print/tensor_components.h"

namespace hw::cli {
namespace {

/// Counts by exponent, in at most 12 ranges of equal width.
std::string histogram(const TensorStatistics& s, const std::string& indent) {
  const auto filled = [](int64_t n) { return n > 0; };
  const auto begin = std::find_if(s.bins.begin(), s.bins.end(), filled);
  const auto end = std::find_if(s.bins.rbegin(), s.bins.rend(), filled).base();
  if (begin >= end) return "";
  const int lo = s.first + static_cast<int>(begin - s.bins.begin());
  const int octaves = static_cast<int>(end - begin);
  const int width = std::max(1, (octaves + 11) / 12);
  std::vector<int64_t> counts(static_cast<size_t>((octaves + width - 1) / width));
  for (int i = 0; i < octaves; ++i) counts[static_cast<size_t>(i / width)] += begin[i];
  const double most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  std::string out;
  for (size_t i = 0; i < counts.size(); ++i) {
    const int from = lo + static_cast<int>(i) * width;
    char line[120];
    std::snprintf(line, sizeof line, "|x| 2^%-4d to 2^%-4d %10lld ", from, from + width,
                  static_cast<long long>(counts[i]));
    out += indent + line + std::string(static_cast<size_t>(std::ceil(30 * static_cast<double>(counts[i]) / most)), '#');
    out += "\n";
  }
  return out;
}

}  // namespace

std::string describe_components(const Tensor& tensor, const std::string& indent) {
  std::string out;
  for (const auto& [name, s] : measure_components(tensor)) {
    char line[200];
    std::snprintf(line, sizeof line, "%-6s  min %.6g  max %.6g  mean %.6g  zeros %lld  of %lld\n", name.c_str(), s.min,
                  s.max, s.mean, static_cast<long long>(s.zeros), static_cast<long long>(s.count));
    out += indent + line;
  }
  return out;
}

std::string describe(const Tensor& tensor, const std::string& indent) {
  const DTypeInfo& dtype = info(tensor.dtype());
  const TensorStatistics s = measure(tensor);
  std::string out = indent + std::string(dtype.name) + " " + to_string(tensor.dims()) + "\n";
  char line[240];
  if (s.finite() > 0) {
    std::snprintf(line, sizeof line, "min %.6g  max %.6g  mean %.6g  std %.6g\n", s.min, s.max, s.mean, s.deviation);
    out += indent + line;
  }
  const auto n = [](int64_t count) { return static_cast<long long>(count); };
  std::snprintf(line, sizeof line, "zeros %lld  subnormal %lld  saturated %lld  NaN %lld  Inf %lld  of %lld\n",
                n(s.zeros), n(s.subnormal), n(s.saturated), n(s.nans), n(s.infs), n(s.count));
  out += indent + line;
  if (dtype.is_float) out += histogram(s, indent);
  return out;
}

}  // namespace hw::cli
