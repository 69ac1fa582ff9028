// Curves cut down to what a plot of some width can show: the extremes of each column of pixels.
#pragma once

#include <vector>

namespace hw::app {

/// One column of a plot.
struct PlotColumn {
  double low = 0, high = 0, last = 0;
  bool any = false;     // false: no finite value falls into it
  bool broken = false;  // a NaN or infinite value does: no line leads on from here
};

/// Finite values of `losses`, one a step from 0, over `columns` columns that span [0, steps). Cost: one pass.
std::vector<PlotColumn> columns_of(const std::vector<float>& losses, double steps, int columns);
/// Points (x, y), x ascending, over `columns` columns that span [low, high]; points outside it and of NaN x are left
/// out. Cost: one pass.
std::vector<PlotColumn> columns_of(const std::vector<double>& x, const std::vector<double>& y, double low, double high,
                                   int columns);

}  // namespace hw::app
