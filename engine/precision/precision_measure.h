// PrecisionMeasure: full precision trained once; other precisions measured against it. The planner's instrument.
#pragma once

#include <algorithm>

#include "engine/precision/precision_planner.h"

namespace hw {

/// What one precision costs against full precision.
struct PrecisionOutcome {
  bool is_measured = false;  // else it was too slow for a cost
  double cost = 0;           // rise of the held-out loss, or output error; infinite: it failed
  double cost_noise = 0;     // of a rise, see PairedLoss
  WhatIfSide side;
  PairedTime time;
  bool too_slow = false;  // it was not measured to the end
};

/// Single threaded. `tick` is called after every step, with how many steps' work that was.
class PrecisionMeasure {
 public:
  using Tick = std::function<void(uint64_t)>;
  /// Whether a training is so slow that it need not go on.
  using TooSlow = std::function<bool(const PrecisionBytes&, const PairedTime&)>;
  PrecisionMeasure(Assets& assets, const PlannerOptions& options, uint64_t seed, Tick tick, TooSlow too_slow);

  /// Trains full precision. Error HW-R003 when that fails.
  Status train_full(const Graph& graph);
  const WhatIfSide& full() const { return full_side_; }
  /// Short: loss towards the end of the probe's steps, on the probes' seed. Whole, on the seed that decides, where all
  /// steps are too few for a window before the last; an error budget's is always whole.
  Result<PrecisionOutcome> probe(const Graph& graph);
  /// At full length, on the seed that decides. `may_end_early`: what has failed clearly on the way does.
  Result<PrecisionOutcome> decide(const Graph& graph, bool may_end_early);
  /// The mean over further seeds of training joins what decide() found. Returns all rises.
  Result<std::vector<double>> repeat(const Graph& graph, PrecisionOutcome& outcome);
  /// Steps' work of each, for progress.
  uint64_t probe_work() const;
  uint64_t decide_work() const;

 private:
  /// Steps [first, last) after which losses on held-out batches are taken.
  struct Window {
    uint64_t first, last, seed;
    std::vector<double> losses;  // full precision's
  };
  /// Measures the window that `step` lies in, if there is one; returns it.
  Result<Window*> look(PrecisionTrial& trial, uint64_t step, double& loss);
  uint64_t probe_length() const { return std::max(o_.probe_steps, windows_.front().last); }
  Result<PrecisionOutcome> train(const Graph& graph, uint64_t until, bool may_end_early);
  Result<PrecisionOutcome> evaluate(const Graph& graph);
  /// One timed pair of steps.
  Status time_pair(PrecisionTrial& other, uint64_t step, PairedTime& time);

  Assets& assets_;
  const PlannerOptions& o_;
  const Tick tick_;
  const TooSlow too_slow_;
  const uint64_t deciding_seed_, probing_seed_;
  Graph full_graph_;
  std::unique_ptr<PrecisionTrial> full_trial_;
  std::vector<Window> windows_;  // apart from each other
  std::vector<Tensor> full_outputs_;
  std::map<std::string, Tensor> full_states_;  // error budget: after training
  WhatIfSide full_side_;
};

}  // namespace hw
