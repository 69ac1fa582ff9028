// Checkpoint: all that a training run needs to continue to the bit.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/graph/groups/moved_nodes.h"

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

/// What a run leaves beside its losses. Of steps done by an older version nothing is known: NaN.
struct RunHistory {
  std::vector<float> learning_rates;  // one a step
  std::vector<float> seconds;         // one a step: training time when its loss was read
  struct Metrics {
    uint64_t step = 0;  // steps done when they were measured
    std::map<std::string, double> values;
    Split split = Split::test;
    std::optional<double> loss;  // none: it was not measured
  };
  std::vector<Metrics> metrics;  // in the order of steps
};

/// The weights of the lowest loss on the validation split so far.
struct Best {
  double loss = 0;
  uint64_t step = 0;                                             // steps done
  uint64_t measured = 0;                                         // measurements since, all of them worse
  std::shared_ptr<const std::map<std::string, Tensor>> weights;  // as the run hands them out
};

/// Random streams and the place in a data set are functions of seed and step (Philox), so these two are their state.
struct Checkpoint {
  std::map<std::string, Tensor> states;  // by state name: views, masters, moments, averages
  /// Updates before the moments of a parameter began, by the name of the first of them, which its bias corrections
  /// leave out; of others 0.
  std::map<std::string, uint64_t> begun;
  std::vector<float> losses;                // one a step
  std::vector<LossScaleEvent> loss_scales;  // the first step, then changes; empty: no loss scaling
  RunHistory history;
  uint64_t step = 0;   // steps done
  uint64_t steps = 0;  // where the run ends: schedules depend on it
  uint64_t seed = 0;
  double seconds = 0;        // training time so far
  uint64_t every = 0;        // steps between checkpoints; 0: this one was asked for
  std::string device;        // id
  Graph graph;               // that was trained
  std::optional<Best> best;  // of a run with a validation split
  /// As read from a file: a state that holds Inf or NaN, with their count; "": sound. A run hands out sound ones alone.
  std::string unsound;
  /// The checksum of the weights' file that it lies beside; "": of none.
  std::string of_weights;
  /// The parameters that the run hands out at this step, averaged ones where it averages; not kept in files. May be
  /// null.
  std::shared_ptr<const std::map<std::string, Tensor>> weights;
};

/// Its weights under the new names of nodes that moved.
void move_nodes(Best& best, const MovedNodes& moved);
/// What it keeps of nodes that moved, under their new names; not its graph.
void move_nodes(Checkpoint& checkpoint, const MovedNodes& moved);

/// Called on the session's thread; hands over to another where it takes long. Null: there is nothing to save yet.
using CheckpointSink = std::function<void(std::shared_ptr<const Checkpoint>)>;

}  // namespace hw
