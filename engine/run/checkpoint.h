// Checkpoint: all that a training run needs to continue to the bit.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace hw {

/// Random streams and the place in a data set are functions of seed and step (Philox), so these two are their state.
struct Checkpoint {
  std::map<std::string, Tensor> states;  // by state name: views, masters, moments, averages
  std::vector<float> losses;             // one a step
  uint64_t step = 0;                     // steps done
  uint64_t steps = 0;                    // where the run ends: schedules depend on it
  uint64_t seed = 0;
  double seconds = 0;  // training time so far
  uint64_t every = 0;  // steps between checkpoints; 0: this one was asked for
  std::string device;  // id
  Graph graph;         // that was trained
};

}  // namespace hw
