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
  std::string inspect;                           // node whose tensors the last snapshot carries; empty: none
  std::shared_ptr<const Weights> weights;        // to begin with; may be null
  std::shared_ptr<const Checkpoint> checkpoint;  // to go on from; may be null
  uint64_t checkpoint_every = 0;                 // steps; 0: never
  CheckpointSink checkpoint_sink;
  bool halt_on_nonfinite = false;  // look at every value and stop at the first Inf or NaN
  std::optional<InstrumentSettings> instruments = {};
};

/// The last snapshot, whose error says what failed the session; `interrupted` by Ctrl-C or SIGTERM.
struct TrainingResult {
  std::shared_ptr<const RunSnapshot> last;
  bool interrupted = false;
};
TrainingResult train_to_end(TrainingRequest request);

/// "1.23 M", "456 k", "78".
std::string short_count(double value);

}  // namespace hw::cli
