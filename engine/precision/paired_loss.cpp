#include "engine/precision/paired_loss.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace hw {
namespace {

constexpr size_t kBlocks = 8;  // neighbouring steps are alike; blocks of them hardly

double mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

void PairedLoss::add(double base, double other) {
  base_.push_back(base);
  other_.push_back(other);
}

double PairedLoss::base() const {
  return mean(base_);
}
double PairedLoss::other() const {
  return mean(other_);
}

double PairedLoss::rise() const {
  const double rise = other() / base() - 1;
  return std::isfinite(rise) ? rise : std::numeric_limits<double>::infinity();
}

double PairedLoss::noise() const {
  if (base_.size() < 2 * kBlocks || !std::isfinite(rise())) return 1;
  const double ratio = 1 + rise();
  std::vector<double> blocks(kBlocks, 0.0);
  for (size_t k = 0; k < base_.size(); ++k) blocks[k * kBlocks / base_.size()] += other_[k] - ratio * base_[k];
  double squares = 0;
  const double scale = static_cast<double>(kBlocks) / (static_cast<double>(base_.size()) * base());
  for (const double block : blocks) squares += block * scale * block * scale;
  // Student's t of 7 degrees of freedom.
  return 2.36 * std::sqrt(squares / (kBlocks * (kBlocks - 1)));
}

}  // namespace hw
