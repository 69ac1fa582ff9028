// Trains a graph to the end on the calling thread's behalf: progress on a terminal, Ctrl-C stops and keeps.
#pragma once

#include "app/cli/graph_input.h"

namespace hw::cli {

/// A run from its start, from weights, or on from a checkpoint.
struct TrainingRequest {
  Graph graph;
  std::shared_ptr<Assets> assets;
  std::string device = "cpu";
  uint64_t steps = 0;                            // 0: what the Train node says
  GivenValues given = {};                        // in the place of outputs, in every step
  std::string inspect;                           // node whose tensors the last snapshot carries; empty: none
  std::shared_ptr<const Weights> weights;        // to begin with; may be null
  std::shared_ptr<const Checkpoint> checkpoint;  // to go on from; may be null
  bool ends = false;                             // no step more: what the end of the checkpoint's run hands out
  uint64_t checkpoint_every = 0;                 // steps; 0: never
  CheckpointSink checkpoint_sink;
  bool halt_on_nonfinite = false;  // look at every value and stop at the first Inf or NaN
  std::optional<InstrumentSettings> instruments = {};
  bool keep_states = false;  // the result has all states of the end
};

/// The last snapshot, whose error says what failed the session; `interrupted` by Ctrl-C or SIGTERM.
struct TrainingResult {
  std::shared_ptr<const RunSnapshot> last;
  bool interrupted = false;
  std::shared_ptr<const Checkpoint> states;  // null: not asked for, or the run failed
  double wall_seconds = 0;                   // from the start to the end, all that is no training included
  /// The exit code of a run that did not fail: 0, or that of the signal that ended it.
  int exit() const;
};
TrainingResult train_to_end(TrainingRequest request);

/// Steps that loss scaling left out.
uint64_t skipped_steps(const RunSnapshot& snapshot);
/// "1.23 M", "456 k", "78".
std::string short_count(double value);

}  // namespace hw::cli
