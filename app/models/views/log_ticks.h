// The values that a logarithmic axis is labelled at.
#pragma once

#include <vector>

namespace hw::app {

/// As many of 1, 2, 5, 10, .. , of powers of ten, or of each second, third, .. power of ten, from 10^low to 10^high as
/// keep `gap` pixels between them on an axis of `pixels`; at most `most`.
std::vector<double> log_ticks(double low, double high, double pixels, double gap, int most);
/// What plots of losses and gradients give it: px that a label needs, and as many labels as AxisLabels.qml has.
inline constexpr double kLogTickHeight = 18;
inline constexpr int kMostLogTicks = 12;

}  // namespace hw::app
