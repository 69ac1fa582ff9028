// TrainSettings: what a Train node asks for, and the learning rate at each step.
#pragma once

#include <string>

#include "engine/graph/graph.h"
#include "engine/node/parameter_groups.h"
#include "engine/program/optimisers.h"

namespace hw {

struct TrainSettings {
  OptimiserRow optimiser = *find_optimiser("adam");
  enum class Schedule : uint8_t { constant, cosine, exponential, step, one_cycle } schedule = Schedule::constant;
  double learning_rate = 1e-2;
  double decay = 0.1;          // exponential: factor over the whole run; step: factor at each drop; cosine: final share
  int64_t decay_steps = 1000;  // step: steps between drops
  int64_t warmup_steps = 0;    // linear from 0
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  // beta1: SGD's momentum
  bool nesterov = false;
  double weight_decay = 0;
  bool decays_all = true;              // else only what has two axes or more: neither biases nor norms
  std::vector<ParameterGroup> groups;  // the first that holds a parameter counts
  double clip_norm = 0;                // 0: off
  int64_t accumulate = 1;              // micro-batches an update
  enum class LossScaling : uint8_t { none, fixed, dynamic } loss_scaling = LossScaling::none;
  double loss_scale = 65536;       // fixed, or where dynamic begins
  int64_t growth_interval = 2000;  // dynamic: clean steps before the scale doubles
  bool pure = false;               // no masters: the optimiser works on the narrow weights themselves
  double ema_decay = 0;            // of the averaged weights; 0: none
  bool use_averaged = true;        // averaged weights are what is evaluated, shown and saved
  int64_t steps = 1000;
  int64_t evaluate_every = 500;  // steps between measurements of the metrics; 0: at the end alone
  bool best_weights = true;      // with a validation split: those of its lowest loss are handed out at the end
  int64_t patience = 0;          // measurements without a lower loss after which the run ends; 0: it does not
  uint64_t seed = 0;
};

/// From a node of type "train". Its parameters are valid.
TrainSettings train_settings(const Node& train);
/// The seed of a node of type "train"; 0 where its parameter is no whole number. The others may be wrong.
uint64_t train_seed(const Node& train);

/// Learning rate of 0-based `step` in a run of `steps`: PyTorch's count, CosineAnnealingLR with T_max = steps,
/// ExponentialLR with gamma = decay^(1 / steps), StepLR, times a linear warm-up; OneCycleLR with its defaults but for
/// momentum, which does not cycle, and the length of the rise, which is the warm-up's where there is one. Without
/// warm-up the first step has the whole rate; the share `decay` is that of the step after the last.
double learning_rate_at(const TrainSettings& settings, uint64_t step, uint64_t steps);

/// The id of the graph's Train node. Errors HW-G006 when there is none or more than one.
Result<std::string> find_trainer(const Graph& graph);

}  // namespace hw
