// How weights start: the spread of each choice, against PyTorch's formulas.
#include "engine/node/weight_init.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hw {
namespace {

shapes::LayerInit init_of(const std::string& kind, const Dims& weight) {
  const NodeType& conv = *Registry::instance().find("conv2d");
  const ParamMap chosen{{"weight_init", kind}, {"init_scale", 0.5}};
  return shapes::layer_init(Params(conv.decl, chosen), weight);
}

double variance(const Init& init) {
  if (init.kind == Init::Kind::uniform) return init.a * init.a / 3;
  return init.kind == Init::Kind::normal ? init.a * init.a : 0;
}

TEST(WeightInit, SpreadsAsPyTorchDoes) {
  const Dims weight{64, 16, 3, 3};  // fan_in 144, fan_out 576
  const struct {
    const char* kind;
    Init::Kind distribution;
    double variance;
  } cases[]{
      {"default", Init::Kind::uniform, 1.0 / 144 / 3},
      {"kaiming_normal", Init::Kind::normal, 2.0 / 144},
      {"kaiming_normal_fan_out", Init::Kind::normal, 2.0 / 576},
      {"kaiming_uniform", Init::Kind::uniform, 2.0 / 144},
      {"xavier_normal", Init::Kind::normal, 2.0 / 720},
      {"xavier_uniform", Init::Kind::uniform, 2.0 / 720},
      {"normal", Init::Kind::normal, 0.25},
      {"uniform", Init::Kind::uniform, 0.25 / 3},
      {"zeros", Init::Kind::zeros, 0},
  };
  for (const auto& c : cases) {
    const shapes::LayerInit init = init_of(c.kind, weight);
    EXPECT_EQ(init.weight.kind, c.distribution) << c.kind;
    EXPECT_NEAR(variance(init.weight), c.variance, 1e-15) << c.kind;
    EXPECT_EQ(init.bias.kind, std::string(c.kind) == "default" ? Init::Kind::uniform : Init::Kind::zeros) << c.kind;
  }
}

TEST(WeightInit, EveryChoiceIsKnown) {
  for (const char* type :
       {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "linear", "attention"}) {
    const ParamDecl* param = Registry::instance().find(type)->decl.find_param("weight_init");
    ASSERT_NE(param, nullptr) << type;
    for (const std::string& kind : param->choices)
      EXPECT_EQ(init_of(kind, {4, 4}).weight.kind == Init::Kind::zeros, kind == "zeros") << kind;
  }
}

}  // namespace
}  // namespace hw
