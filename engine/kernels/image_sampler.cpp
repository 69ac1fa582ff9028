#include "engine/kernels/image_sampler.h"

#include <cmath>

namespace hw::kernels {

std::array<float, 256> channel_values(bool linear) {
  std::array<float, 256> values;
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) / 255;
    const double decoded = x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    values[i] = static_cast<float>(linear ? decoded : x);
  }
  return values;
}

}  // namespace hw::kernels
