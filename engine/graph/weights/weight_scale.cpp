#include "engine/graph/weights/weight_scale.h"

#include <cassert>
#include <string_view>
#include <utility>

namespace hw {
namespace {

constexpr int64_t kBlock = 128;

/// How the names of scales end, and those of what they scale. Of compressed-tensors, of DeepSeek, of ComfyUI.
constexpr std::pair<std::string_view, std::string_view> kScaleEnds[]{
    {"_scale", ""}, {"_scale_inv", ""}, {".scale_weight", ".weight"}};

bool is_f8(const Tensor& t) {
  return t.dtype() == DType::f8e4m3 || t.dtype() == DType::f8e5m2;
}

int64_t blocks(int64_t size) {
  return (size + kBlock - 1) / kBlock;
}

bool is_per_row(const Dims& weight, const Dims& scale) {
  if (weight.empty() || scale.empty() || scale[0] != weight[0]) return false;
  return scale.size() == 1 || (scale.size() == 2 && scale[1] == 1);
}

}  // namespace

std::string tensor_scaled_by(const std::string& name, const std::map<std::string, Tensor>& tensors) {
  for (const auto& [end, of_weight] : kScaleEnds) {
    if (!name.ends_with(end)) continue;
    const std::string weight = name.substr(0, name.size() - end.size()) + std::string(of_weight);
    if (const auto found = tensors.find(weight); found != tensors.end() && is_f8(found->second)) return weight;
  }
  return {};
}

bool is_scale_of_values(const std::string& name, const std::map<std::string, Tensor>& tensors) {
  if (name == "scaled_fp8") return true;
  for (const std::string_view end : {".input_scale", ".scale_input"}) {
    if (!name.ends_with(end)) continue;
    const auto weight = tensors.find(name.substr(0, name.size() - end.size()) + ".weight");
    if (weight != tensors.end() && is_f8(weight->second)) return true;
  }
  return false;
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
