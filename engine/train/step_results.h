// StepResults: what comes of steps that were begun, read back without waiting for each. Single threaded, as the run.
#pragma once

#include <optional>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/train/step_judge.h"

namespace hw {

/// Steps are begun, then settled, in order; after the first that failed nothing is settled.
class StepResults {
 public:
  /// `scale`: the loss scale's state in `plan.program`; kNoValue: no loss scaling.
  explicit StepResults(ValueId scale = kNoValue) : scale_value_(scale) {}

  /// Before the gradients of a step: the loss scale that they are made with, where no step before it is open.
  void begin_scale(const TrainingPlan& plan, const States& states);
  /// After a micro-batch whose loss is to be read back from `gradients`.
  Status queue_loss(const TrainingPlan& plan, Executable& gradients);
  /// After the last program of a step. `losses`: of all its parts; empty: they were queued. `updates` may be null.
  Status begin(const TrainingPlan& plan, uint64_t step, std::vector<double> losses, Executable& gradients,
               Executable* updates);
  /// Waits for the steps that were begun, up to the first that failed.
  Status settle(const TrainingPlan& plan, Executable& gradients, Executable* updates);
  /// Settles what was begun before a step that could not be run to its end, whose readbacks are dropped.
  void drop_step(const TrainingPlan& plan, Executable& gradients, Executable* updates);

  /// A step has failed that was settled and not taken.
  bool failed() const { return !outcomes_.empty() && outcomes_.back().error; }
  std::vector<StepOutcome> take() { return std::exchange(outcomes_, {}); }
  /// Forgets all steps; the next ones do not follow them.
  void clear();
  /// The loss scale of the gradients of the last settled step.
  double scale() const { return judge_.scale(); }

 private:
  struct Begun {
    uint64_t step;
    std::vector<double> losses;  // empty: they are read back
  };

  ValueId scale_value_;
  StepJudge judge_;
  std::vector<Begun> begun_;           // not settled yet
  std::vector<StepOutcome> outcomes_;  // settled
};

}  // namespace hw
