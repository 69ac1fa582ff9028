#include "engine/node/weight_init.h"

#include <algorithm>
#include <cmath>

namespace hw::shapes {

void declare_weight_init(NodeDecl& d) {
  constexpr char kHeading[] = "Initialisation";
  d.choice("weight_init", "default",
           {"default", "kaiming_normal", "kaiming_normal_fan_out", "kaiming_uniform", "xavier_normal", "xavier_uniform",
            "normal", "uniform", "zeros"})
      .docs(
          "How weights start. default: as the layer's documentation says, which is as in PyTorch. With the others the "
          "bias "
          "starts at 0. Kaiming (He et al. 2015): variance 2/fan_in, or 2/fan_out. Xavier (Glorot and Bengio 2010): "
          "variance 2/(fan_in + fan_out). normal, uniform: as wide as init_scale says.")
      .group = kHeading;
  d.real("init_scale", 0.02)
      .docs("normal: the standard deviation. uniform: weights lie in ± this.")
      .at_least(0)
      .at_most(1000)
      .group = kHeading;
}

LayerInit layer_init(const Params& params, const Dims& weight) {
  const auto fan = [&](size_t axis) {
    return static_cast<double>(element_count(weight) / std::max<int64_t>(1, weight[axis]));
  };
  const double fan_in = fan(0), fan_out = fan(1);
  const std::string& kind = params.text("weight_init");
  const double scale = params.real("init_scale");
  const auto uniform = [](double variance) { return Init{Init::Kind::uniform, std::sqrt(3 * variance)}; };
  const auto normal = [](double variance) { return Init{Init::Kind::normal, std::sqrt(variance)}; };
  if (kind == "kaiming_normal") return {normal(2 / fan_in), {}};
  if (kind == "kaiming_normal_fan_out") return {normal(2 / fan_out), {}};
  if (kind == "kaiming_uniform") return {uniform(2 / fan_in), {}};
  if (kind == "xavier_normal") return {normal(2 / (fan_in + fan_out)), {}};
  if (kind == "xavier_uniform") return {uniform(2 / (fan_in + fan_out)), {}};
  if (kind == "normal") return {{Init::Kind::normal, scale}, {}};
  if (kind == "uniform") return {{Init::Kind::uniform, scale}, {}};
  if (kind == "zeros") return {};
  const Init init{Init::Kind::uniform, 1 / std::sqrt(fan_in)};
  return {init, init};
}

}  // namespace hw::shapes
