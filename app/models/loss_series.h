// Loss curves cut down to what a plot of some width can show: the extremes of each column of pixels.
#pragma once

#include <vector>

namespace hw::app {

/// One column of a plot. Steps are 0-based.
struct LossColumn {
  double low = 0, high = 0, last = 0;
  bool any = false;  // false: no finite value falls into it
};

/// Finite values of `losses` over `columns` columns that span [0, steps). Cost: one pass.
std::vector<LossColumn> columns_of(const std::vector<float>& losses, double steps, int columns);

}  // namespace hw::app
