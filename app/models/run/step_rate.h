// StepRate: how many steps a second a run makes, for the time it has left.
#pragma once

#include <QElapsedTimer>

#include "engine/train/run_snapshot.h"

namespace hw::app {

class StepRate {
 public:
  StepRate() { age_.start(); }
  /// Takes each snapshot as it comes. While nothing runs, and when steps are fewer than before, it begins anew.
  void take(const RunSnapshot& snapshot);
  /// Steps a second, smoothed over some seconds; 0: not known yet.
  double perSecond() const { return perSecond_; }

 private:
  QElapsedTimer age_;  // since `step_`
  uint64_t step_ = 0;
  double perSecond_ = 0;
};

}  // namespace hw::app
