// Checkpoint: all that a training run needs to continue to the bit.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace hw {

/// One step of a run with loss scaling, where the scale changed or the step was left out.
struct LossScaleEvent {
  uint64_t step = 0;  // 0-based
  double scale = 1;   // after the step
  bool skipped = false;
  std::string param;  // skipped: "node.param" whose gradient was bad, the nearest to the loss
  int64_t bad = 0;    // Inf and NaN in all parameters' gradients
  bool operator==(const LossScaleEvent&) const = default;
};

/// Random streams and the place in a data set are functions of seed and step (Philox), so these two are their state.
struct Checkpoint {
  std::map<std::string, Tensor> states;     // by state name: views, masters, moments, averages
  std::vector<float> losses;                // one a step
  std::vector<LossScaleEvent> loss_scales;  // the first step, then changes; empty: no loss scaling
  uint64_t step = 0;                        // steps done
  uint64_t steps = 0;                       // where the run ends: schedules depend on it
  uint64_t seed = 0;
  double seconds = 0;  // training time so far
  uint64_t every = 0;  // steps between checkpoints; 0: this one was asked for
  std::string device;  // id
  Graph graph;         // that was trained
};

}  // namespace hw
