// A picture of loss curves: logarithmic axis of losses, one colour a run.
#pragma once

#include <string>
#include <vector>

#include "engine/core/mesh.h"

namespace hw::cli {

struct LossCurve {
  std::string name;           // ASCII, for the legend
  std::vector<float> losses;  // one a step; what is not finite or not above 0 is left out
};

/// 960 × 600 pixels. Each curve is drawn as the mean over about a hundredth of the steps.
Image plot_losses(const std::vector<LossCurve>& curves);

}  // namespace hw::cli
