#include "engine/kernels/image_sampler.h"

#include <cmath>

namespace hw::kernels {

std::vector<float> channel_values(bool linear, int bits) {
  std::vector<float> values(size_t{1} << bits);
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(values.size() - 1);
    const double decoded = x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    values[i] = static_cast<float>(linear ? decoded : x);
  }
  return values;
}

}  // namespace hw::kernels
