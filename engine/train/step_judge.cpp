#include "engine/train/step_judge.h"

#include <cmath>
#include <utility>

#include "engine/core/codes.h"
#include "engine/kernels/loss_scale_state.h"

namespace hw {
namespace {

constexpr int kMostSkipped = 50;

/// None where `bad` is all zeros.
std::optional<Error> bad_update(const TrainingPlan& plan, uint64_t step, const std::vector<double>& bad) {
  double elements = 0, params = 0;
  std::string last;  // the nearest to the loss: parameters stand in the order of the forward pass
  for (size_t k = 0; k < bad.size(); ++k) {
    if (bad[k] <= 0) continue;
    elements = bad[k];
    ++params;
    last = plan.updated[k];
  }
  if (params == 0) return std::nullopt;
  std::string reason = "the update of step " + std::to_string(step + 1) + " made " +
                       std::to_string(static_cast<int64_t>(elements)) + " of its elements Inf or NaN";
  if (params > 1) reason += ", and some of " + std::to_string(static_cast<int64_t>(params) - 1) + " other parameters";
  return Error{
      codes::not_finite, last, reason + ".",
      "Look for the first bad value, clip gradients, lower the learning rate, or widen its dtype; then reset."};
}

/// No loss scale mends the forward pass.
std::optional<Error> bad_loss(const TrainingPlan& plan, uint64_t step, double loss) {
  if (std::isfinite(loss)) return std::nullopt;
  const std::string what = std::isnan(loss) ? "NaN" : "infinite";
  if (step == 0)  // no update was made yet, so that no learning rate is at fault
    return Error{codes::not_finite, plan.trainer, "the loss is " + what + " at step 1, before any update.",
                 "Look for the first bad value, or widen the dtype of the nodes before it; then reset."};
  return Error{codes::not_finite, plan.trainer,
               "the loss became " + what + " at step " + std::to_string(step + 1) + ".",
               "Lower the learning rate, clip gradients, or widen the dtype of the nodes before it; then reset."};
}

LossScaleEvent event_of(const TrainingPlan& plan, uint64_t step, const std::vector<double>& state) {
  LossScaleEvent event;
  event.step = step;
  event.scale = state[loss_scale_state::kScale];
  for (size_t k = 0; k < plan.scaled.size(); ++k) {
    const double bad = state[loss_scale_state::kBadCounts + k];
    if (bad <= 0) continue;
    event.skipped = true;
    event.bad += static_cast<int64_t>(bad);
    event.param = plan.scaled[k];  // parameters stand in the order of the forward pass
  }
  return event;
}

}  // namespace

StepOutcome StepJudge::judge(const TrainingPlan& plan, const Made& made) {
  StepOutcome outcome{made.step, made.loss, {}, {}};
  scale_ = next_scale_;
  outcome.error = bad_loss(plan, made.step, made.loss);
  if (!outcome.error) outcome.error = bad_update(plan, made.step, made.bad);
  if (outcome.error || made.scale.empty()) return outcome;
  next_scale_ = made.scale[loss_scale_state::kScale];
  outcome.loss_scale = event_of(plan, made.step, made.scale);
  const bool may_fall = plan.settings.loss_scaling == TrainSettings::LossScaling::dynamic && scale_ > 1;
  skipped_in_a_row_ = outcome.loss_scale->skipped && !may_fall ? skipped_in_a_row_ + 1 : 0;
  if (skipped_in_a_row_ < kMostSkipped) return outcome;
  outcome.error = Error{codes::not_finite, outcome.loss_scale->param,
                        std::to_string(kMostSkipped) +
                            " steps in a row were left out: its gradient is Inf or NaN at a loss scale of " +
                            std::to_string(scale_) + ", which does not fall.",
                        "Lower loss_scale, make it dynamic, or widen the dtype of the nodes before it."};
  return outcome;
}

}  // namespace hw
