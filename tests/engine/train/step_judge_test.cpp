// Which steps have failed, and what became of the loss scale.
#include "engine/train/step_judge.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "engine/core/codes.h"

namespace hw {
namespace {

using testing::HasSubstr;

/// Two parameters, a before b. Their gradients are scaled.
TrainingPlan plan_of(TrainSettings::LossScaling scaling) {
  TrainingPlan plan;
  plan.trainer = "train";
  plan.updated = plan.scaled = {"a.weight", "b.weight"};
  plan.settings.loss_scaling = scaling;
  return plan;
}

/// `bad`: Inf and NaN in the gradients of a and b.
StepJudge::Made made(uint64_t step, double scale, std::vector<double> bad) {
  std::vector<double> state{scale, 0, 0};
  state.insert(state.end(), bad.begin(), bad.end());
  return {step, 0.5, state, {0, 0}};
}

TEST(StepJudge, LetsAStepPassWhoseNumbersAreFinite) {
  const TrainingPlan plan = plan_of(TrainSettings::LossScaling::none);
  const StepOutcome outcome = StepJudge().judge(plan, {3, 0.25, {}, {0, 0}});
  EXPECT_FALSE(outcome.error);
  EXPECT_FALSE(outcome.loss_scale);
  EXPECT_EQ(outcome.step, 3u);
  EXPECT_EQ(outcome.loss, 0.25);
}

TEST(StepJudge, NamesALossThatIsNot) {
  const TrainingPlan plan = plan_of(TrainSettings::LossScaling::none);
  const StepOutcome first = StepJudge().judge(plan, {0, NAN, {}, {}});
  ASSERT_TRUE(first.error);
  EXPECT_EQ(first.error->code, codes::not_finite);
  EXPECT_EQ(first.error->where, "train");
  EXPECT_THAT(first.error->reason, HasSubstr("NaN at step 1, before any update"));
  const StepOutcome later = StepJudge().judge(plan, {4, INFINITY, {}, {7, 7}});
  ASSERT_TRUE(later.error);
  EXPECT_THAT(later.error->reason, HasSubstr("became infinite at step 5"));
}

TEST(StepJudge, NamesTheParameterNearestToTheLossThatAnUpdateSpoilt) {
  const TrainingPlan plan = plan_of(TrainSettings::LossScaling::none);
  const StepOutcome both = StepJudge().judge(plan, {1, 1, {}, {4, 2}});
  ASSERT_TRUE(both.error);
  EXPECT_EQ(both.error->where, "b.weight");
  EXPECT_THAT(both.error->reason, HasSubstr("made 2 of its elements Inf or NaN, and some of 1 other parameters"));
  const StepOutcome one = StepJudge().judge(plan, {1, 1, {}, {4, 0}});
  ASSERT_TRUE(one.error);
  EXPECT_EQ(one.error->where, "a.weight");
}

TEST(StepJudge, DistinguishesTheScaleOfTheGradientsFromTheNextOne) {
  const TrainingPlan plan = plan_of(TrainSettings::LossScaling::dynamic);
  StepJudge judge;
  judge.begin_with(8);
  EXPECT_EQ(judge.scale(), 8);
  const StepOutcome skipped = judge.judge(plan, made(0, 4, {0, 3}));
  ASSERT_TRUE(skipped.loss_scale);
  EXPECT_TRUE(skipped.loss_scale->skipped);
  EXPECT_EQ(skipped.loss_scale->param, "b.weight");
  EXPECT_EQ(skipped.loss_scale->bad, 3);
  EXPECT_EQ(skipped.loss_scale->scale, 4);
  EXPECT_EQ(judge.scale(), 8) << "that of the step that was left out";
  const StepOutcome clean = judge.judge(plan, made(1, 4, {0, 0}));
  EXPECT_FALSE(clean.loss_scale->skipped);
  EXPECT_EQ(judge.scale(), 4);
}

/// The step, 0-based, whose error ends a run in which all steps are left out but for those in `clean`; 200: none.
uint64_t ends_at(TrainSettings::LossScaling scaling, double scale, const std::vector<uint64_t>& clean = {}) {
  const TrainingPlan plan = plan_of(scaling);
  StepJudge judge;
  judge.begin_with(scale);
  for (uint64_t step = 0; step < 200; ++step) {
    const bool is_clean = std::ranges::find(clean, step) != clean.end();
    const StepOutcome outcome = judge.judge(plan, made(step, scale, {is_clean ? 0.0 : 1.0, 0}));
    if (!outcome.error) continue;
    EXPECT_EQ(outcome.error->where, "a.weight");
    return step;
  }
  return 200;
}

TEST(StepJudge, EndsARunWhoseStepsAreAllLeftOut) {
  using Scaling = TrainSettings::LossScaling;
  EXPECT_EQ(ends_at(Scaling::fixed, 1024), 49u) << "50 in a row";
  EXPECT_EQ(ends_at(Scaling::fixed, 1024, {20}), 70u) << "a clean one begins anew";
  EXPECT_EQ(ends_at(Scaling::dynamic, 1), 49u) << "it does not fall below 1";
  EXPECT_EQ(ends_at(Scaling::dynamic, 1024), 200u) << "the scale may still fall";
}

TEST(StepJudge, BeginsAnewWhereStepsDoNotFollow) {
  const TrainingPlan plan = plan_of(TrainSettings::LossScaling::fixed);
  StepJudge judge;
  judge.begin_with(2);
  for (uint64_t step = 0; step < 49; ++step) EXPECT_FALSE(judge.judge(plan, made(step, 2, {1, 0})).error);
  judge.begin_anew();
  EXPECT_FALSE(judge.judge(plan, made(49, 2, {1, 0})).error);
}

}  // namespace
}  // namespace hw
