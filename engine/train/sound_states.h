// SoundStates: where a run comes back to after a step that failed: the states before that step, to the bit.
#pragma once

#include <chrono>

#include "engine/train/training_run.h"

namespace hw {

/// Keeps a copy of the states now and then, in at most a fiftieth of the time and not more often than once a second;
/// the steps since are run again, which gives the same bits. Single threaded, as the run.
class SoundStates {
 public:
  /// Whether a copy is to be taken before the next step, whose earlier ones are all settled then.
  bool is_due() const { return Clock::now() >= next_; }
  /// The states of `run` after `step` steps. None is kept where they are not sound, or a copy
  /// would take more than half of the memory that is free.
  void keep(const TrainingRun& run, uint64_t step);
  /// The steps since cannot be run again as they were: settings have changed, or the run is another.
  void drop() {
    kept_.reset();
    next_ = {};
  }
  /// Puts `run` where it was after `step` steps, of `steps`. Returns the step that was reached, with sound states: that
  /// of the copy where steps cannot be run again, or not within ten seconds; none: no copy was kept.
  std::optional<uint64_t> restore(TrainingRun& run, uint64_t step, uint64_t steps, const std::atomic<bool>* cancel);
  /// A step failed or was cut short: its update may have written NaN.
  void suspect() { suspect_ = true; }
  /// Whether the present states of `run` may be kept: those that are suspected only where none holds NaN or Inf.
  bool are_sound(const TrainingRun& run);
  /// As if nothing had run.
  void forget() { *this = SoundStates(); }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<uint64_t> go_back(TrainingRun& run, uint64_t step, uint64_t steps, const std::atomic<bool>* cancel);

  std::optional<Checkpoint> kept_;
  Clock::time_point next_;
  bool suspect_ = false;
};

}  // namespace hw
