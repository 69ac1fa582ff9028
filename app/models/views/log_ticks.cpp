#include "app/models/views/log_ticks.h"

#include <cmath>

namespace hw::app {
namespace {

constexpr double kOver = 1e-9;  // what rounding may put a tick beyond an end

std::vector<double> ticks_of(double low, double high, const std::vector<double>& factors, int stride) {
  std::vector<double> ticks;
  for (int decade = static_cast<int>(std::floor(low)); decade <= static_cast<int>(std::ceil(high)); ++decade) {
    if (decade % stride != 0) continue;
    for (const double factor : factors) {
      const double value = factor * std::pow(10, decade), place = std::log10(value);
      if (place >= low - kOver && place <= high + kOver) ticks.push_back(value);
    }
  }
  return ticks;
}

bool fits(const std::vector<double>& ticks, double pixels_a_decade, double gap, int most) {
  if (static_cast<int>(ticks.size()) > most) return false;
  for (size_t i = 1; i < ticks.size(); ++i) {
    if (std::log10(ticks[i] / ticks[i - 1]) * pixels_a_decade < gap) return false;
  }
  return true;
}

}  // namespace

std::vector<double> log_ticks(double low, double high, double pixels, double gap, int most) {
  if (!(high > low) || !(pixels > 0)) return {};
  const double a_decade = pixels / (high - low);
  if (auto fine = ticks_of(low, high, {1, 2, 5}, 1); fits(fine, a_decade, gap, most)) return fine;
  for (int stride = 1; stride <= high - low + 1; ++stride) {
    if (auto coarse = ticks_of(low, high, {1}, stride); fits(coarse, a_decade, gap, most)) return coarse;
  }
  return ticks_of(std::ceil(low), std::ceil(low), {1}, 1);
}

}  // namespace hw::app
