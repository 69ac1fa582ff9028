#include "app/models/views/plot_columns.h"

#include <algorithm>
#include <cmath>

namespace hw::app {
namespace {

void take(PlotColumn& c, double value) {
  if (!std::isfinite(value)) {
    c.broken = true;
    return;
  }
  c.low = c.any ? std::min(c.low, value) : value;
  c.high = c.any ? std::max(c.high, value) : value;
  c.last = value;
  c.any = true;
}

}  // namespace

std::vector<PlotColumn> columns_of(const std::vector<float>& losses, double steps, int columns) {
  std::vector<PlotColumn> out(static_cast<size_t>(std::max(columns, 0)));
  if (out.empty() || steps <= 0) return out;
  const double scale = static_cast<double>(columns) / steps;
  for (size_t i = 0; i < losses.size(); ++i) {
    const auto at = static_cast<size_t>(static_cast<double>(i) * scale);
    if (at >= out.size()) break;
    take(out[at], static_cast<double>(losses[i]));
  }
  return out;
}

std::vector<PlotColumn> columns_of(const std::vector<double>& x, const std::vector<double>& y, double low, double high,
                                   int columns) {
  std::vector<PlotColumn> out(static_cast<size_t>(std::max(columns, 0)));
  if (out.empty()) return out;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (!(x[i] >= low && x[i] <= high)) continue;
    const double place = high > low ? (x[i] - low) / (high - low) : 0.5;
    take(out[std::min(out.size() - 1, static_cast<size_t>(place * columns))], y[i]);
  }
  return out;
}

}  // namespace hw::app
