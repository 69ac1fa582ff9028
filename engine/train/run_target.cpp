#include "engine/train/run_target.h"

namespace hw {

void RunTarget::start(uint64_t done, uint64_t of_settings, uint64_t restored) {
  const uint64_t steps = asked_ ? asked_ : of_settings;
  const uint64_t open = restored > done ? restored : began_ + steps;  // the end of a run that was stopped
  const bool completes = asked_ == 0 && open > done;
  if (!completes) began_ = done;
  end_ = completes ? open : began_ + steps;
}

}  // namespace hw
