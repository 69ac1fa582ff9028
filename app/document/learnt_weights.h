// LearntWeights: what a graph has learnt at one moment, on its way to a file.
#pragma once

#include <filesystem>
#include <future>
#include <memory>

#include "engine/graph/graph.h"
#include "engine/plan/weights.h"
#include "engine/train/checkpoint.h"

namespace hw::app {

struct Learnt {
  std::shared_ptr<const Weights> weights;    // null: none
  std::shared_ptr<const Checkpoint> states;  // the optimiser's, as they belong to them, or null
};

/// Made on the GUI thread, by DocumentWeights::now(); written on a worker thread.
struct LearntWeights {
  Graph flat;                                                    // whose they are
  std::shared_ptr<const Weights> weights;                        // as last published; null: none
  std::shared_future<std::shared_ptr<const Checkpoint>> states;  // of the newest step, with its weights; null: none
  bool keepsOptimiser = true;

  struct Written {
    bool written = false;  // false: there was nothing to write
    uint64_t step = 0;     // 0: not known
  };
  /// Waits for the states.
  Learnt learnt() const;
  /// Waits for the states, and writes as workspace::save_weights_beside does. `file`: of the weights. Error HW-F002.
  Result<Written> write(const std::filesystem::path& file) const;
};

}  // namespace hw::app
