#include "app/cli/kernel_json.h"

#include <nlohmann/json.hpp>

namespace hw::cli {

using nlohmann::ordered_json;

namespace {

ordered_json to_json(const KernelInfo& k) {
  return {{"storage", name(k.storage)},
          {"compute", name(k.compute)},
          {"accumulate", name(k.accumulate)},
          {"implementation", k.implementation}};
}

}  // namespace

ordered_json to_json(const NodeKernels& kernels) {
  const auto passes = [](const KernelInfo& forward, const std::optional<KernelInfo>& backward) {
    ordered_json j{{"forward", to_json(forward)}};
    if (backward) j["backward"] = to_json(*backward);
    return j;
  };
  ordered_json j = passes(kernels.forward, kernels.backward);
  for (const NodeKernels::Layer& layer : kernels.layers)
    j["layers"][layer.param] = passes(layer.forward, layer.backward);
  return j;
}

}  // namespace hw::cli
