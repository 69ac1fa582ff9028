// Trains a graph to its end, with progress and a way to stop it.
#pragma once

#include <atomic>
#include <functional>

#include "engine/train/session.h"

namespace hw::workspace {

/// A run from its start, from weights, or on from a checkpoint. Tensors in `given`, `weights` and `checkpoint` share
/// their memory with the caller, who does not write into it before the call has returned.
struct TrainingRequest {
  Graph graph;  // flattened, with a Train node
  std::shared_ptr<Assets> assets;
  std::string device = "cpu";
  int threads = 0;                                    // of the CPU, for this run alone; 0: those of the process
  uint64_t steps = 0;                                 // 0: what the Train node says
  GivenValues given = {};                             // in the place of outputs, in every step
  std::string inspect = {};                           // node whose tensors the last snapshot carries; empty: none
  std::shared_ptr<const Weights> weights = {};        // to begin with; may be null
  std::shared_ptr<const Checkpoint> checkpoint = {};  // to go on from; may be null
  bool ends = false;                                  // no step more: what the end of the checkpoint's run hands out
  uint64_t checkpoint_every = 0;                      // steps; 0: never
  CheckpointSink checkpoint_sink = {};                // called on the thread that trains
  bool halt_on_nonfinite = false;                     // look at every value and stop at the first Inf or NaN
  std::optional<InstrumentSettings> instruments = {};
  bool keep_states = false;  // the result has all states of the end
};

/// What a run left. Its error, in the last snapshot, says what failed it. Tensors of snapshots and states lie in host
/// memory that lives as long as anybody holds them, also after the run; nobody writes into it.
struct TrainingResult {
  std::shared_ptr<const RunSnapshot> last;   // not null
  bool interrupted = false;                  // by `cancel`: weights and states are those of the step it stopped at
  std::shared_ptr<const Checkpoint> states;  // null: not asked for, or the run failed
  double wall_seconds = 0;                   // from the start to the end, all that is no training included
};

/// Trains on a thread of its own and blocks until the run has ended, failed or was stopped. `progress` may be empty; it
/// is called on the calling thread, with the newest snapshot at most every 20 ms while steps run, and with the last one
/// unless the run failed. `cancel` may be null; once another thread, a signal handler or `progress` has set it, the run
/// stops after its step and keeps what it learnt. Any thread, several at once; with `threads` of their own they do not
/// wait for each other.
TrainingResult train_to_end(TrainingRequest request, const std::function<void(const RunSnapshot&)>& progress,
                            const std::atomic<bool>* cancel);

/// Steps that loss scaling left out.
uint64_t skipped_steps(const RunSnapshot& snapshot);

}  // namespace hw::workspace
