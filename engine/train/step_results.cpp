#include "engine/train/step_results.h"

#include <numeric>
#include <utility>

#include "engine/kernels/loss_scale_state.h"

namespace hw {

void StepResults::begin_scale(const TrainingPlan& plan, const States& states) {
  if (scale_value_ != kNoValue && begun_.empty())
    judge_.begin_with(states.read(plan.trainer + kLossScale).to_f64()[loss_scale_state::kScale]);
}

Status StepResults::queue_loss(const TrainingPlan& plan, Executable& gradients) {
  return plan.loss == kNoValue ? ok() : gradients.queue_readback(plan.loss);
}

Status StepResults::begin(const TrainingPlan& plan, uint64_t step, std::vector<double> losses, Executable& gradients,
                          Executable* updates) {
  if (scale_value_ != kNoValue) HW_CHECK(gradients.queue_readback(scale_value_));
  for (const ValueId count : plan.not_finite) HW_CHECK(updates->queue_readback(count));
  begun_.push_back({step, std::move(losses)});
  return ok();
}

Status StepResults::settle(const TrainingPlan& plan, Executable& gradients, Executable* updates) {
  if (begun_.empty()) return ok();
  std::vector<Begun> steps = std::exchange(begun_, {});
  HW_TRY(const std::vector<Tensor> values, gradients.take_readbacks());
  std::vector<Tensor> counts;
  if (updates) {
    HW_TRY(counts, updates->take_readbacks());
  }
  size_t next = 0, next_count = 0;
  for (Begun& begun : steps) {
    if (failed()) break;
    std::vector<double>& losses = begun.losses;
    if (losses.empty()) {
      for (uint64_t batch = 0; batch < plan.micro_batches(); ++batch)
        losses.push_back(plan.loss == kNoValue ? 0 : values[next++].to_f64().front());
    }
    StepJudge::Made made;
    made.step = begun.step;
    made.loss = std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
    if (scale_value_ != kNoValue) made.scale = values[next++].to_f64();
    for (size_t k = 0; k < plan.not_finite.size(); ++k) {
      const std::vector<double> some = counts[next_count++].to_f64();
      made.bad.insert(made.bad.end(), some.begin(), some.end());
    }
    outcomes_.push_back(judge_.judge(plan, made));
  }
  return ok();
}

void StepResults::drop_step(const TrainingPlan& plan, Executable& gradients, Executable* updates) {
  (void)settle(plan, gradients, updates);
  (void)gradients.take_readbacks();  // of its micro-batches so far
  if (updates) (void)updates->take_readbacks();
}

void StepResults::clear() {
  begun_.clear();
  outcomes_.clear();
  judge_.begin_anew();
}

}  // namespace hw
