#include "engine/train/sound_states.h"

#include <algorithm>

#include "engine/core/exceptions.h"
#include "engine/core/memory.h"
#include "engine/core/tensor_statistics.h"
#include "engine/plan/memory_estimate.h"

namespace hw {
namespace {

constexpr std::chrono::seconds kLeastInterval{1};
constexpr int kCostShare = 50;  // a copy that takes t seconds is renewed after 50 t
constexpr std::chrono::seconds kLongestRepeat{10};

size_t bytes_of_states(const TrainingRun& run) {
  size_t bytes = 0;
  for (const auto& [name, state] : states_of(run.plan())) bytes += bytes_of(*state);
  return bytes;
}

}  // namespace

void SoundStates::keep(const TrainingRun& run, uint64_t step) {
  if (!run.check_statistics()) return;
  const Clock::time_point begin = Clock::now();
  kept_.reset();  // no two at a time
  (void)guarded([&]() -> Status {
    if (2 * bytes_of_states(run) > available_memory()) return ok();
    Checkpoint made;
    made.states = run.read_states();
    made.begun = run.plan().begun;
    made.step = step;
    made.seed = run.plan().settings.seed;
    kept_ = std::move(made);
    return ok();
  });
  const Clock::time_point end = Clock::now();
  next_ = end + std::max<Clock::duration>(kLeastInterval, kCostShare * (end - begin));
}

bool SoundStates::are_sound(const TrainingRun& run) {
  if (!suspect_) return true;
  for (const auto& [name, state] : run.read_states()) {
    if (const TensorStatistics s = measure(state); s.finite() < s.count) return false;
  }
  suspect_ = false;
  return true;
}

std::optional<uint64_t> SoundStates::restore(TrainingRun& run, uint64_t step, uint64_t steps,
                                             const std::atomic<bool>* cancel) {
  const auto reached = go_back(run, step, steps, cancel);
  if (reached) suspect_ = false;
  return reached;
}

std::optional<uint64_t> SoundStates::go_back(TrainingRun& run, uint64_t step, uint64_t steps,
                                             const std::atomic<bool>* cancel) {
  if (!kept_ || !run.restore(*kept_)) return std::nullopt;
  if (kept_->step > step || run.cut_short()) return kept_->step;
  const Clock::time_point last = Clock::now() + kLongestRepeat;
  uint64_t sound = kept_->step;
  bool is_sound = true;  // of the states that no update judges
  for (; sound < step && is_sound && Clock::now() < last; sound += is_sound ? 1 : 0) {
    if (!guarded([&] { return run.repeat(sound, sound + 1, steps, cancel); })) break;
    is_sound = bool(run.check_statistics());
  }
  if (sound == step) return step;
  if (!run.restore(*kept_)) return std::nullopt;
  if (is_sound || !guarded([&] { return run.repeat(kept_->step, sound, steps, cancel); })) return kept_->step;
  return sound;
}

}  // namespace hw
