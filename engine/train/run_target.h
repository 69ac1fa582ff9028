// RunTarget: the step where a session's run ends. Single threaded: the session's worker.
#pragma once

#include <cstdint>

namespace hw {

class RunTarget {
 public:
  /// Steps done when the run is to end.
  uint64_t end() const { return end_; }
  /// The next start is for so many steps; 0: to the end of the run that was stopped, else as many as the settings say.
  void ask(uint64_t steps) { asked_ = steps; }
  /// A start after `done` steps. `of_settings`: how many the Train node says. `restored`: where the run ends that a
  /// checkpoint goes on with; 0: there is none.
  void start(uint64_t done, uint64_t of_settings, uint64_t restored);
  /// The run has no more steps than are done.
  void end_at(uint64_t done) { began_ = end_ = done; }
  /// One step more, where the run has ended.
  void reach(uint64_t step) { end_ = end_ < step ? step : end_; }
  /// Nothing was trained; what was asked for stays.
  void forget() { end_at(0); }

 private:
  uint64_t asked_ = 0;
  uint64_t began_ = 0;  // where the run began whose end it is
  uint64_t end_ = 0;
};

}  // namespace hw
