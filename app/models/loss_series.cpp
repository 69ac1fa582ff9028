#include "app/models/loss_series.h"

#include <algorithm>
#include <cmath>

namespace hw::app {

std::vector<LossColumn> columns_of(const std::vector<float>& losses, double steps, int columns) {
  std::vector<LossColumn> out(static_cast<size_t>(std::max(columns, 0)));
  if (out.empty() || steps <= 0) return out;
  const double scale = static_cast<double>(columns) / steps;
  for (size_t i = 0; i < losses.size(); ++i) {
    const double v = static_cast<double>(losses[i]);
    if (!std::isfinite(v)) continue;
    const auto at = static_cast<size_t>(static_cast<double>(i) * scale);
    if (at >= out.size()) break;
    LossColumn& c = out[at];
    c.low = c.any ? std::min(c.low, v) : v;
    c.high = c.any ? std::max(c.high, v) : v;
    c.last = v;
    c.any = true;
  }
  return out;
}

}  // namespace hw::app
