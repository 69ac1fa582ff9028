// The first Inf or NaN of a graph that is only inspected: nothing is learnt, and there need not be anything to learn.
#pragma once

#include "engine/graph/lower/lower.h"
#include "engine/plan/weights.h"
#include "engine/train/bad_value.h"

namespace hw {

struct BadValueSearch {
  std::string device = "cpu";
  std::optional<uint64_t> seed;            // default: the Train node's, else 0
  uint64_t first = 0, steps = 1;           // 0-based: random draws and batches of these steps
  std::shared_ptr<const Weights> weights;  // initial ones for what they lack, or where it is null
  std::map<std::string, Tensor> states;    // by state name, as in a Checkpoint; written after `weights`
  GivenValues given;                       // outputs whose values are given, as wires of the graph carry them
  /// Share that is done, in [0, 1], and what goes on. On the calling thread; may be empty.
  std::function<void(double, const std::string&)> progress;
  const std::atomic<bool>* cancel = nullptr;  // ends it early, which is no error
};

struct BadValueFound {
  std::optional<BadValue> bad;
  uint64_t steps = 0;  // that were checked to their end
  bool stopped = false;
};

/// The steps of TrainingRun::make_looking, each value checked as watch_for_bad_values does. Errors: those of planning
/// and of the device, HW-F005, HW-R001. Any thread.
Result<BadValueFound> find_bad_value(const Graph& graph, Assets& assets, const BadValueSearch& search);

}  // namespace hw
