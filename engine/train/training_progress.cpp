#include "engine/train/training_progress.h"

#include <limits>

namespace hw {

void TrainingProgress::add(const StepOutcome& outcome, double learning_rate, double seconds) {
  losses.push_back(static_cast<float>(outcome.loss));
  history.learning_rates.push_back(static_cast<float>(learning_rate));
  history.seconds.push_back(static_cast<float>(seconds));
  if (const auto& event = outcome.loss_scale) {
    if (loss_scales.empty() || event->skipped || event->scale != loss_scales.back().scale)
      loss_scales.push_back(*event);
  }
  ++step;
}

void TrainingProgress::go_back(uint64_t to) {
  step = to;
  losses.resize(to);
  history.learning_rates.resize(to);
  history.seconds.resize(to);
}

void TrainingProgress::take_over(const Checkpoint& checkpoint) {
  step = checkpoint.step;
  losses = checkpoint.losses;
  loss_scales = checkpoint.loss_scales;
  history = checkpoint.history;
  history.learning_rates.resize(step, std::numeric_limits<float>::quiet_NaN());
  history.seconds.resize(step, std::numeric_limits<float>::quiet_NaN());
}

}  // namespace hw
