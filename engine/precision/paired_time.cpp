#include "engine/precision/paired_time.h"

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
  if (!is_measured()) return 1;
  // Order statistics: the true median lies between the ranks n/2 ± 0.98 √n, whatever the distribution.
  std::vector<double> sorted = ratios_;
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  const double reach = 0.98 * std::sqrt(n);
  const auto low = static_cast<size_t>(std::max(0.0, std::floor(n / 2 - reach)));
  const auto high = static_cast<size_t>(std::min(n - 1, std::ceil(n / 2 + reach)));
  return std::max(ratio() - sorted[low], sorted[high] - ratio());
}

}  // namespace hw
