// RunPace: how long a run has trained, and how fast it does. Single threaded: the session's worker.
#pragma once

#include <chrono>
#include <deque>

namespace hw {

class RunPace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Training time so far, in seconds.
  double seconds() const { return seconds_; }
  void set_seconds(double seconds) { seconds_ = seconds; }
  /// Counts as training from `begin` until now.
  void add_since(Clock::time_point begin) { seconds_ += std::chrono::duration<double>(Clock::now() - begin).count(); }
  /// `step` steps are done.
  void mark(Clock::time_point now, uint64_t step);
  /// The run has stood still: what was marked says nothing about it any more.
  void rest() { marks_.clear(); }
  /// Steps a second: `runs`, over the last second or so of marks; else `step`, all of them, over all time. 0: unknown.
  double steps_per_s(bool runs, uint64_t step) const;

 private:
  double seconds_ = 0;
  std::deque<std::pair<Clock::time_point, uint64_t>> marks_;
};

}  // namespace hw
