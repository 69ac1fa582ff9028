#include "engine/graph/weight_scale.h"

#include <cassert>

namespace hw {
namespace {

constexpr int64_t kBlock = 128;

int64_t blocks(int64_t size) {
  return (size + kBlock - 1) / kBlock;
}

bool is_per_row(const Dims& weight, const Dims& scale) {
  if (weight.empty() || scale.empty() || scale[0] != weight[0]) return false;
  return scale.size() == 1 || (scale.size() == 2 && scale[1] == 1);
}

}  // namespace

std::string tensor_scaled_by(const std::string& name, const std::map<std::string, Tensor>& tensors) {
  for (const std::string_view end : {"_scale", "_scale_inv"}) {
    if (!name.ends_with(end)) continue;
    const std::string weight = name.substr(0, name.size() - end.size());
    const auto found = tensors.find(weight);
    if (found == tensors.end()) continue;
    const DType dtype = found->second.dtype();
    if (dtype == DType::f8e4m3 || dtype == DType::f8e5m2) return weight;
  }
  return {};
}

bool fits_scale(const Dims& weight, const Dims& scale) {
  int64_t count = 1;
  for (const int64_t size : scale) count *= size;
  if (count == 1 || is_per_row(weight, scale)) return true;
  return weight.size() == 2 && scale == Dims{blocks(weight[0]), blocks(weight[1])};
}

Tensor scaled(const Tensor& weight, const Tensor& scale) {
  assert(fits_scale(weight.dims(), scale.dims()));
  std::vector<double> values = weight.to_f64();
  const std::vector<double> by = scale.to_f64();
  const int64_t rows = weight.dims().empty() ? 1 : weight.dims()[0];
  const int64_t columns = rows == 0 ? 0 : weight.size() / rows;
  const bool is_one = by.size() == 1, per_row = is_per_row(weight.dims(), scale.dims());
  for (int64_t i = 0; i < weight.size(); ++i) {
    const int64_t row = i / columns, column = i % columns;
    const int64_t at = is_one ? 0 : per_row ? row : row / kBlock * blocks(columns) + column / kBlock;
    values[static_cast<size_t>(i)] *= by[static_cast<size_t>(at)];
  }
  return Tensor::from_f64(DType::f32, weight.dims(), values);
}

}  // namespace hw
