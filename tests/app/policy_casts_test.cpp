// When a policy is asked for casts, and what it adds to a step.
#include "app/document/policy_casts.h"

#include "support.h"

namespace hw::app::policy_casts_test {
namespace {

using testing::node;

const Edits kWire{AddLink{{"c", "y", "m", "x"}}};

/// A constant in f16 and an MLP in f32, which no wire brings together yet.
Graph with_two_dtypes(Policy policy) {
  Graph graph;
  EXPECT_TRUE(apply_edits(
      graph, {AddNode{node("c", "constant", {{"dtype", std::string("f16")}, {"shape", std::vector<double>{4, 8}}})},
              AddNode{node("m", "mlp")}, SetPolicy{{policy, DType::bf16}}}));
  return graph;
}

TEST(PolicyCasts, AreAskedForWhereDTypesMeetAnew) {
  const Graph strict = with_two_dtypes(Policy::strict), negotiating = with_two_dtypes(Policy::negotiate);
  EXPECT_FALSE(asks_for_casts(strict, strict, kWire));
  EXPECT_TRUE(asks_for_casts(negotiating, negotiating, kWire));
  EXPECT_FALSE(asks_for_casts(negotiating, negotiating, {MoveNode{"m", 8, 8}, SetLabel{"m", "Decoder"}}));
  EXPECT_TRUE(asks_for_casts(strict, strict, {SetPolicy{{Policy::negotiate, DType::bf16}}}));
}

TEST(PolicyCasts, ComeBehindTheStepsOwnEdits) {
  const Graph graph = with_two_dtypes(Policy::negotiate);
  const PrecisionPlan plan = with_policy(graph, kWire);
  ASSERT_GT(plan.edits.size(), kWire.size());
  EXPECT_EQ(plan.edits.front(), kWire.front());
  Graph after = graph;
  EXPECT_TRUE(apply_edits(after, plan.edits));
}

TEST(PolicyCasts, WhatCannotBeAppliedIsGivenBackAlone) {
  const Edits wrong{RemoveNode{"nothing"}};
  const PrecisionPlan plan = with_policy(with_two_dtypes(Policy::negotiate), wrong);
  EXPECT_EQ(plan.edits, wrong);
  EXPECT_TRUE(plan.notes.empty());
}

}  // namespace
}  // namespace hw::app::policy_casts_test
