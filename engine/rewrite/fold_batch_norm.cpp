#include <cmath>

#include "engine/rewrite/layers.h"
#include "engine/rewrite/rules.h"

namespace hw::rewrites {
namespace {

bool is_convolution(const Node& node) {
  return node.type == "conv1d" || node.type == "conv2d" || node.type == "conv3d";
}

/// The channels of a Linear are the second axis, as those of a batch norm are, of [N, C] alone.
bool folds(const Graph& flat, const Validator& validator, const Node& layer, const Node& norm) {
  if (!is_convolution(layer)) {
    const auto shape = layer.type == "linear" ? input_shape(flat, validator, layer) : std::nullopt;
    if (!shape || shape->rank() != 2) return false;
  }
  return stands_alone(flat, layer) && stands_alone(flat, norm) && is_wide(layer) && is_wide(norm) &&
         param_value(layer, "dtype") == param_value(norm, "dtype") && only_reader(flat, layer) == &norm;
}

/// y = (w · x + b − mean) · s + shift with s = scale / √(variance + ε).
Status fold(Weights& weights, const Node& layer, const Node& norm) {
  const std::string at = norm.id + ".";
  HW_TRY(const std::vector<double> mean, values_of(weights, at + "running_mean"));
  HW_TRY(const std::vector<double> variance, values_of(weights, at + "running_var"));
  HW_TRY(std::vector<double> weight, values_of(weights, layer.id + ".weight"));
  HW_TRY(std::vector<double> bias, bias_of(weights, layer, mean.size()));
  const size_t channels = mean.size(), taps = weight.size() / channels;
  std::vector<double> scale(channels, 1), shift(channels);
  if (std::get<bool>(param_value(norm, "affine"))) {
    HW_TRY(scale, values_of(weights, at + "weight"));
    HW_TRY(shift, values_of(weights, at + "bias"));
  }
  const double epsilon = std::get<double>(param_value(norm, "epsilon"));
  for (size_t c = 0; c < channels; ++c) {
    const double s = scale[c] / std::sqrt(variance[c] + epsilon);
    for (size_t i = c * taps; i < (c + 1) * taps; ++i) weight[i] *= s;
    bias[c] = (bias[c] - mean[c]) * s + shift[c];
  }
  store(weights, layer, weight, bias);
  for (const char* name : {"running_mean", "running_var", "weight", "bias"}) weights.erase(at + name);
  return ok();
}

std::vector<Rewrite> find_norms(const Graph& flat, const Validator& validator) {
  std::vector<Rewrite> found;
  for (const auto& [id, norm] : flat.nodes()) {
    if (norm.type != "batch_norm") continue;
    const auto source = source_of(flat, norm);
    const Node* layer = source ? flat.find(source->node) : nullptr;
    if (!layer || !folds(flat, validator, *layer, norm)) continue;
    Rewrite place = absorbing(*layer, norm);
    place.weights = [layer = *layer, norm](Weights& weights) { return fold(weights, layer, norm); };
    found.push_back(std::move(place));
  }
  return found;
}

}  // namespace

const RewriteRule fold_batch_norm{
    "fold_batch_norm", "Fold Batch Norm",
    "A Batch Norm behind a convolution, or a Linear, becomes part of its weights: for inference, faster and smaller.",
    "Jacob et al. 2018, section 3.2; PyTorch, torch.nn.utils.fusion", &find_norms};

}  // namespace hw::rewrites
