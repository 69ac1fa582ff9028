#include "engine/train/run_pace.h"

namespace hw {

void RunPace::mark(Clock::time_point now, uint64_t step) {
  marks_.emplace_back(now, step);
  while (marks_.size() > 2 && now - marks_.front().first > std::chrono::seconds(1)) marks_.pop_front();
}

double RunPace::steps_per_s(bool runs, uint64_t step) const {
  if (runs && marks_.size() > 1) {
    const double time = std::chrono::duration<double>(marks_.back().first - marks_.front().first).count();
    return time > 0 ? static_cast<double>(marks_.back().second - marks_.front().second) / time : 0;
  }
  return seconds_ > 0 ? static_cast<double>(step) / seconds_ : 0;
}

}  // namespace hw
