#include <set>

#include "engine/rewrite/layers.h"
#include "engine/rewrite/rules.h"

namespace hw::rewrites {
namespace {

int64_t whole(const Node& node, const char* param) {
  return std::get<int64_t>(param_value(node, param));
}

bool is_convolution(const Graph& flat, const Node& node) {
  return node.type == "conv2d" && stands_alone(flat, node) && is_wide(node) && whole(node, "groups") == 1;
}

/// No more products than before.
bool is_cheaper(const Graph& flat, const Validator& validator, const Node& first, const Node& second) {
  const auto shape = input_shape(flat, validator, first);
  if (!shape || shape->rank() != 4 || (*shape)[1].size <= 0) return false;
  const auto kernel = std::get<std::vector<double>>(param_value(first, "kernel_size"));
  const double taps = kernel[0] * kernel.back() * static_cast<double>((*shape)[1].size);
  const auto middle = static_cast<double>(whole(first, "out_channels"));
  const auto out = static_cast<double>(whole(second, "out_channels"));
  return taps * out <= taps * middle + middle * out;
}

Status merge(Weights& weights, const Node& first, const Node& second) {
  HW_TRY(const std::vector<double> a, values_of(weights, first.id + ".weight"));
  HW_TRY(const std::vector<double> b, values_of(weights, second.id + ".weight"));
  const auto middle = static_cast<size_t>(whole(first, "out_channels"));
  const auto out = static_cast<size_t>(whole(second, "out_channels"));
  HW_TRY(const std::vector<double> a_bias, bias_of(weights, first, middle));
  HW_TRY(std::vector<double> bias, bias_of(weights, second, out));
  const size_t taps = a.size() / middle;
  std::vector<double> weight(out * taps);
  for (size_t o = 0; o < out; ++o)
    for (size_t m = 0; m < middle; ++m) {
      const double factor = b[o * middle + m];
      bias[o] += factor * a_bias[m];
      for (size_t i = 0; i < taps; ++i) weight[o * taps + i] += factor * a[m * taps + i];
    }
  store(weights, first, weight, bias);
  for (const char* name : {".weight", ".bias"}) weights.erase(second.id + name);
  return ok();
}

std::vector<Rewrite> find_convs(const Graph& flat, const Validator& validator) {
  std::vector<Rewrite> found;
  std::set<std::string> taken;
  for (const auto& [id, first] : flat.nodes()) {
    if (taken.contains(id) || !is_convolution(flat, first)) continue;
    const Node* second = only_reader(flat, first);
    if (!second || taken.contains(second->id) || !is_convolution(flat, *second) || !is_pointwise(*second)) continue;
    if (param_value(first, "dtype") != param_value(*second, "dtype") || !is_cheaper(flat, validator, first, *second))
      continue;
    taken.insert({id, second->id});
    Rewrite place = absorbing(first, *second);
    place.edits.push_back(SetParam{id, "out_channels", whole(*second, "out_channels")});
    place.weights = [first = first, second = *second](Weights& weights) { return merge(weights, first, second); };
    found.push_back(std::move(place));
  }
  return found;
}

}  // namespace

const RewriteRule merge_convs{
    "merge_convs", "Merge 1 × 1 Convolutions",
    "A convolution and the 1 × 1 convolution that alone reads it become one, where that needs no more products.",
    "Ding et al. 2021, Diverse Branch Block, transform III", &find_convs};

}  // namespace hw::rewrites
