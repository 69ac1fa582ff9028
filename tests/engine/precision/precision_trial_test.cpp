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

TEST(PrecisionTrial, BiasCorrectionsLeaveOutUpdatesBeforeTheMomentsBegan) {
  // Every step sees the same, so that a first update of new moments is the same at any step.
  const ParamMap shape{{"shape", std::vector<double>{4, 3}}}, adam{{"optimiser", std::string("adam")}};
  const Graph graph = built({AddNode{node("a", "parameter", shape)}, AddNode{node("b", "parameter", shape)},
                             AddNode{node("loss", "mse")}, AddNode{node("train", "train", adam)},
                             AddLink{link("a.y", "loss.prediction")}, AddLink{link("b.y", "loss.target")},
                             AddLink{link("loss.loss", "train.loss")}});
  test::QuadAssets assets;
  const auto first_update = [&](uint64_t step, const std::map<std::string, uint64_t>& begun) {
    const auto trial = PrecisionTrial::make(graph, "cpu", assets, {}, {}, begun);
    if (!trial || !(*trial)->step(step, 160, nullptr)) return std::vector<double>();
    return (*trial)->states().at("a.value").to_f64();
  };
  const std::vector<double> fresh = first_update(0, {});
  ASSERT_EQ(fresh.size(), 12u);
  EXPECT_EQ(first_update(120, {{"a.value#adam_m", 120}, {"b.value#adam_m", 120}}), fresh);
  EXPECT_NE(first_update(120, {}), fresh);
}

}  // namespace
}  // namespace hw
