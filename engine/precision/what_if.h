// What-if: two graphs trained in turns from the same seed and state: loss, time, memory and error side by side.
#pragma once

#include <functional>

#include "engine/precision/paired_loss.h"
#include "engine/precision/paired_time.h"
#include "engine/precision/precision_trial.h"

namespace hw {

struct WhatIfProgress {
  uint64_t step = 0, steps = 0;
  double base_loss = 0, changed_loss = 0;  // of the last step; NaN: this side has failed
};

struct WhatIfOptions {
  std::string device = "cpu";
  uint64_t steps = 200;
  std::optional<uint64_t> held_out_seed;                // default: the Train node's + 1
  TrialStart start;                                     // where both begin
  GivenValues given;                                    // outputs whose values are given, in the dtypes of the base
  uint64_t schedule_steps = 0;                          // length of the run that schedules follow, where that is longer
  std::function<void(const WhatIfProgress&)> progress;  // after each pair of steps; may be empty
  const std::atomic<bool>* cancel = nullptr;
};

/// One side.
struct WhatIfSide {
  PrecisionBytes bytes;
  double ms_per_step = 0;       // median
  double loss = 0;              // training loss, mean of the last steps (at most 20)
  double held_out_loss = 0;     // mean over the last steps, see held_out_window; NaN: there were none
  std::optional<Error> failed;  // the loss or an update became Inf or NaN: this side ended there, the other went on
};

struct WhatIfReport {
  WhatIfSide base, changed;
  uint64_t steps = 0, seed = 0, held_out_seed = 0;
  PairedTime time;  // of steps: other is the changed side
  /// The changed graph's outputs on the base's final weights, against the base's: its rounding alone. Infinite: NaN or
  /// Inf, or a side failed.
  double output_error = 0;
  /// Rise of the held-out loss, relative, and how well it is known, see PairedLoss; infinite where the changed side
  /// failed, −Inf where the base alone did.
  double loss_rise = 0, loss_noise = 1;
};

/// The last steps of a run of `steps` after which the held-out loss is measured, on a batch each: an eighth, 16 to 128.
uint64_t held_out_window(uint64_t steps);

/// Both graphs have the same Train node. A side that fails is noted in the report, and the other goes on.
/// Errors: those of TrainingRun::make, HW-R004.
Result<WhatIfReport> what_if(const Graph& base, const Graph& changed, Assets& assets, const WhatIfOptions& options);

}  // namespace hw
