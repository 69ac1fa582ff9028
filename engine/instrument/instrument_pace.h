// InstrumentPace: which steps of a training the instruments look at, so that looking costs a bounded share of its time.
#pragma once

#include <cstdint>

namespace hw {

struct InstrumentSettings {
  /// Share of the steps' own time that looking may take in processor time. What it costs besides, by the caches that it
  /// cools and the threads that it wakes, was measured at up to half of that (scripts/bench): 3 % in all.
  double budget = 0.02;
  uint64_t every = 0;  // look at every so many steps instead, whatever it costs; 0: as the budget allows
};

/// Keeps an account in seconds; no clock of its own. Looking is charged the processor time that it takes, not what it
/// waits for a core or for other users of the thread pool: else one look that waited would be paid for by hundreds of
/// steps without any. The first step of a run is looked at on credit, which short runs feel; the last one always, for
/// which as much as the look before cost is held back. Else a step is looked at when all looks so far, one more as dear
/// as the last and that of the last step stay within the budget.
class InstrumentPace {
 public:
  explicit InstrumentPace(InstrumentSettings settings = {}) : settings_(settings) {}

  bool due(uint64_t step, bool is_last = false) const {
    if (settings_.every > 0) return step % settings_.every == 0;
    return !looked_ || is_last || spent_ + 2 * last_ <= settings_.budget * worked_;
  }
  /// A step took `seconds`, of which `looking` were the instruments'.
  void stepped(double seconds, double looking, bool looked) {
    worked_ += seconds - looking;
    spent_ += looking;
    if (looked) last_ = looking;
    looked_ = looked_ || looked;
  }
  /// Steps that were begun took so much longer.
  void waited(double seconds) { worked_ += seconds; }
  /// Work on what was seen, between steps.
  void worked_out(double seconds) { spent_ += seconds; }
  /// Share of the steps' own time that the instruments took so far.
  double cost() const { return worked_ > 0 ? spent_ / worked_ : 0; }

 private:
  InstrumentSettings settings_;
  double worked_ = 0, spent_ = 0, last_ = 0;
  bool looked_ = false;
};

}  // namespace hw
