// A training that precisions are compared by.
#include "engine/precision/precision_trial.h"

#include <gtest/gtest.h>

#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::built;
using test::link;
using test::node;

constexpr uint64_t kBefore = 120;  // steps

/// Two tensors that are drawn towards each other: every step sees the same, so that a first update of new moments is
/// the same at any step.
Graph pair(const char* loss_scaling) {
  const ParamMap shape{{"shape", std::vector<double>{4, 3}}};
  const ParamMap settings{{"optimiser", std::string("adam")}, {"loss_scaling", std::string(loss_scaling)}};
  return built({AddNode{node("a", "parameter", shape)}, AddNode{node("b", "parameter", shape)},
                AddNode{node("loss", "mse")}, AddNode{node("train", "train", settings)},
                AddLink{link("a.y", "loss.prediction")}, AddLink{link("b.y", "loss.target")},
                AddLink{link("loss.loss", "train.loss")}});
}

/// A parameter after the trial's first step.
std::vector<double> first_update(const char* loss_scaling, const TrialStart& start) {
  test::QuadAssets assets;
  const auto trial = PrecisionTrial::make(pair(loss_scaling), "cpu", assets, start);
  if (!trial || !(*trial)->step(start.step, 160, nullptr)) return {};
  return (*trial)->states().at("a.value").to_f64();
}

TEST(PrecisionTrial, BiasCorrectionsLeaveOutUpdatesBeforeTheMomentsBegan) {
  test::QuadAssets assets;
  for (const char* scaling : {"none", "dynamic"}) {
    const auto trial = PrecisionTrial::make(pair(scaling), "cpu", assets);
    ASSERT_TRUE(trial) << trial.error().text();
    std::map<std::string, Tensor> states = (*trial)->states();
    const std::vector<double> fresh = first_update(scaling, {});
    ASSERT_EQ(fresh.size(), 12u);
    EXPECT_EQ(first_update(scaling, {{}, {}, kBefore}), fresh) << scaling << ": without states";
    states.erase("train#loss_scale");  // it was not scaled before
    const std::map<std::string, uint64_t> begun{{"a.value#adam_m", kBefore}, {"b.value#adam_m", kBefore}};
    EXPECT_EQ(first_update(scaling, {states, begun, kBefore}), fresh) << scaling << ": moments that just began";
    const std::vector<double> old = first_update(scaling, {states, {}, kBefore});
    ASSERT_EQ(old.size(), 12u);
    EXPECT_NE(old, fresh) << scaling << ": moments of 0 that have been there for long";
  }
}

}  // namespace
}  // namespace hw
