// StepJudge: whether a step went well, by its loss and by what its update wrote. Single threaded, as the run.
#pragma once

#include <optional>
#include <vector>

#include "engine/plan/training_plan.h"
#include "engine/train/checkpoint.h"

namespace hw {

/// The result of one step.
struct StepOutcome {
  uint64_t step = 0;
  double loss = 0;                           // mean of its parts, those of all ranks
  std::optional<LossScaleEvent> loss_scale;  // none: no loss scaling
  /// HW-R003: the loss is not finite, the update wrote Inf or NaN, or too many steps were left out.
  std::optional<Error> error;
};

/// Judges the steps of a run in their order.
class StepJudge {
 public:
  /// What a step left behind.
  struct Made {
    uint64_t step = 0;
    double loss = 0;            // mean of its parts
    std::vector<double> scale;  // the loss scale's state after it, see loss_scale_state; empty: no loss scaling
    std::vector<double> bad;    // Inf and NaN in each of TrainingPlan::updated; may be empty
  };

  StepOutcome judge(const TrainingPlan& plan, const Made& made);
  /// The loss scale that the next step begins with, where it is not what the step before left.
  void begin_with(double scale) { scale_ = next_scale_ = scale; }
  /// The loss scale of the gradients of the last step that was judged, or that begin_with is for.
  double scale() const { return scale_; }
  /// The steps that come next do not follow those that were judged.
  void begin_anew() { skipped_in_a_row_ = 0; }

 private:
  int skipped_in_a_row_ = 0;  // steps, while the loss scale cannot fall
  double scale_ = 1, next_scale_ = 1;
};

}  // namespace hw
