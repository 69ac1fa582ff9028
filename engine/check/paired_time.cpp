#include "engine/check/paired_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hw {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

constexpr size_t kFewest = 4;

}  // namespace

void PairedTime::add(double base_ms, double other_ms) {
  if (!std::exchange(warm_, true) || base_ms <= 0) return;
  base_.push_back(base_ms);
  other_.push_back(other_ms);
  ratios_.push_back(other_ms / base_ms);
}

double PairedTime::base_ms() const {
  return median(base_);
}
double PairedTime::other_ms() const {
  return median(other_);
}
double PairedTime::ratio() const {
  return ratios_.empty() ? 1 : median(ratios_);
}

double PairedTime::noise() const {
  if (ratios_.size() < kFewest) return 1;
  const double middle = ratio();
  std::vector<double> off;
  for (const double r : ratios_) off.push_back(std::abs(r - middle));
  // Of a normal distribution: σ = 1.4826 · MAD, and the median of n scatters by 1.2533 σ / √n.
  return 2 * 1.2533 * 1.4826 * median(off) / std::sqrt(static_cast<double>(ratios_.size()));
}

}  // namespace hw
