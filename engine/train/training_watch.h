// TrainingWatch: observes all values of a training, run by run. Called on the session's thread.
#pragma once

#include "engine/backend/backend.h"
#include "engine/train/bad_value.h"

namespace hw {

class TrainingRun;

/// While a run is watched, every value stays readable, which takes memory for all of them at once. The run and its bits
/// stay the same.
class TrainingWatch {
 public:
  virtual ~TrainingWatch() = default;
  /// Before the first run of a step.
  virtual void begin_step(const TrainingRun& run, uint64_t step, uint64_t steps) = 0;
  /// Around each run of one of the training's programs. An error ends the step.
  virtual Status before_run(const Program& program, const States& states, const StepInputs& inputs) = 0;
  virtual Status after_run(const Program& program, const Executable& executable, const StepInputs& inputs) = 0;
  /// After a step that the watch has ended: what it found; the states are then those from before the step. Null: the
  /// watch found nothing.
  virtual std::shared_ptr<const BadValue> explain(TrainingRun& run, const std::atomic<bool>* cancel) = 0;
};

}  // namespace hw
