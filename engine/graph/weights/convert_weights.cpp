#include "engine/graph/weights/convert_weights.h"

#include "engine/core/held_number.h"
#include "engine/core/magnitudes.h"
#include "engine/core/tensor_rows.h"
#include "engine/graph/weights/weight_scale.h"

namespace hw {
namespace {

/// A tensor of `fitted` times its scale, whose axes are those of the tensor in its file.
Tensor scaled_as_stored(const FittedWeights& fitted, const std::string& name, const Tensor& scale) {
  const Tensor& tensor = fitted.tensors.at(name);
  return fitted.turned.contains(name) ? transposed(scaled(transposed(tensor), scale)) : scaled(tensor, scale);
}

}  // namespace

std::vector<std::string> conversion_losses(const FittedWeights& fitted) {
  std::vector<std::string> lines;
  for (const auto& [name, dtype] : fitted.conversions) {
    const auto scale = fitted.scales.find(name);
    const Tensor& stored = fitted.tensors.at(name);
    const Tensor tensor = scale == fitted.scales.end() ? stored : scaled_as_stored(fitted, name, scale->second);
    const Magnitudes before = magnitudes_of(tensor), after = magnitudes_of(tensor.to(dtype));
    const int64_t beyond = after.infs + after.nans - before.infs - before.nans, vanish = after.zeros - before.zeros;
    if (beyond <= 0 && vanish <= 0) continue;
    // A dtype that fits all of the tensor fits its ends.
    const auto lost = unheld(beyond > 0 ? before.largest : before.smallest, dtype);
    lines.push_back(name + " does not fit " + std::string(hw::name(dtype)) + ": " + std::to_string(beyond) + " of " +
                    std::to_string(tensor.size()) + " elements become Inf or NaN, " + std::to_string(vanish) +
                    " become 0" + (lost ? " (" + to_string(*lost, dtype) + ")" : "") + ".");
  }
  return lines;
}

std::map<std::string, Tensor> converted(FittedWeights fitted) {
  for (const auto& [name, dtype] : fitted.conversions) {
    Tensor& tensor = fitted.tensors.at(name);
    if (const auto scale = fitted.scales.find(name); scale != fitted.scales.end())
      tensor = scaled_as_stored(fitted, name, scale->second);
    tensor = tensor.to(dtype);
  }
  return std::move(fitted.tensors);
}

}  // namespace hw
