// Parameters that no gradient reaches: what ends it is named.
#include "engine/plan/unreached_params.h"

#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/plan/training_plan.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::link;
using test::node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// x → first → `middle` (one or two nodes in a row) → second → curve → mean → train.
Graph layers(const std::vector<Node>& middle, bool second) {
  Edits edits{AddNode{test::normal_numbers("x", {4, 3}, "N C")},
              AddNode{node("first", "linear", {{"out_features", int64_t{3}}})}, AddLink{link("x.y", "first.x")}};
  std::string before = "first";
  std::vector<Node> rest = middle;
  if (second) rest.push_back(node("second", "linear", {{"out_features", int64_t{2}}}));
  rest.push_back(node("curve", "sigmoid"));
  rest.push_back(node("mean", "mean"));
  for (const Node& n : rest) {
    edits.push_back(AddNode{n});
    edits.push_back(AddLink{link(before + ".y", n.id + ".x")});
    before = n.id;
  }
  edits.push_back(AddNode{node("train", "train")});
  edits.push_back(AddLink{link("mean.y", "train.loss")});
  return test::built(edits);
}

TEST(UnreachedParams, AreNamedWithTheNodeThatEndsTheGradient) {
  test::QuadAssets assets;
  const auto whole = node("whole", "cast", {{"to", std::string("i32")}});
  const auto back = node("back", "cast", {{"to", std::string("f32")}});
  for (const auto& [middle, ends] :
       {std::pair(std::vector<Node>{whole, back}, "whole"), {{node("stop", "stop_gradient")}, "stop"}}) {
    const auto plan = plan_training(layers(middle, true), assets);
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_THAT(plan->unreached, ElementsAre("first.weight, first.bias do not train: " + std::string(ends) +
                                             " hands no gradient back."));
  }
  EXPECT_THAT(plan_training(layers({}, true), assets)->unreached, IsEmpty());
}

TEST(UnreachedParams, AreWhyNothingLearns) {
  test::QuadAssets assets;
  const auto plan = plan_training(layers({node("stop", "stop_gradient")}, false), assets);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, codes::no_trainer);
  EXPECT_THAT(plan.error().reason, HasSubstr("first.weight, first.bias do not train: stop hands no gradient back."));
}

}  // namespace
}  // namespace hw
