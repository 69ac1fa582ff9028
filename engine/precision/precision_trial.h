// PrecisionTrial: one graph's training, measured: time, memory, loss on a held-out seed, outputs. What compares
// precisions runs two of these from the same seed and state, in turns.
#pragma once

#include <span>

#include "engine/plan/memory_estimate.h"
#include "engine/train/training_run.h"

namespace hw {

/// What is never trained on: another seed's samples in evaluation mode; of a data set, its test split.
struct HeldOut {
  uint64_t seed = 0;
  uint64_t first = 0;  // batch
  int batches = 1;
};

/// A measurement on held-out samples.
struct HeldOutResult {
  double loss = 0;              // mean over the batches; computed in f32 or wider, see widen_loss
  std::vector<Tensor> outputs;  // by batch: what reaches the loss from the parameters, as one input after the other
  double ms = 0;                // of a batch, forward only: the fastest
};

/// Bytes that a graph takes, by the plans of what is allocated.
struct PrecisionBytes {
  MemoryEstimate training;  // parameters and their masters, optimiser, activations and gradients, data
  size_t running = 0;       // evaluation mode: parameters as stored, activations, data
};

/// Where a trial begins.
struct TrialStart {
  /// By name as in a Checkpoint, or weights alone; rounded to the graph's dtypes. What they lack has the initial values
  /// of the graph's seed, which are the same for every dtype, rounded; moments that they lack begin at `step`.
  std::map<std::string, Tensor> states;
  std::map<std::string, uint64_t> begun;  // Checkpoint::begun of them
  uint64_t step = 0;                      // the first that it takes
};

/// Single threaded.
class PrecisionTrial {
 public:
  /// `given`: outputs whose values are given, in the dtypes of any graph. Errors: those of TrainingRun::make.
  static Result<std::unique_ptr<PrecisionTrial>> make(const Graph& graph, const std::string& device, Assets& assets,
                                                      const TrialStart& start = {}, const GivenValues& given = {});

  /// One step of a run of `steps`. A loss that is not finite ends the trial: failed().
  Status step(uint64_t step, uint64_t steps, const std::atomic<bool>* cancel);
  const std::optional<Error>& failed() const { return failed_; }
  double last_loss() const { return last_loss_; }
  /// The time that the last step took.
  double last_ms() const { return last_ms_; }

  /// With the weights as they are now, averaged ones where the graph says so.
  Result<HeldOutResult> held_out(const HeldOut& on, const std::atomic<bool>* cancel);
  std::map<std::string, Tensor> states() const { return run_->read_states(); }
  /// Rounded to this graph's dtypes; masters, views and averages from each other where one is missing. Others are left
  /// alone.
  Status take_states(const std::map<std::string, Tensor>& states);
  const PrecisionBytes& bytes() const { return bytes_; }

 private:
  PrecisionTrial() = default;
  Status count_moments(const TrialStart& start);
  Status prepare_held_out(const Graph& graph, Assets& assets, const GivenValues& given);
  std::unique_ptr<TrainingRun> run_;
  TrainingProgress progress_;
  PrecisionBytes bytes_;
  std::unique_ptr<Executable> evaluation_;
  ValueId loss_ = kNoValue;
  std::vector<ValueId> outputs_;
  std::optional<Error> failed_;
  double last_loss_ = 0, last_ms_ = 0;
};

/// Without running, and without taking the memory. Errors: those of plan_training.
Result<PrecisionBytes> precision_bytes(const Graph& graph, Assets& assets, const std::string& device);

/// Mean of the last 20 training losses, or of all; NaN: there are none.
double mean_of_last(std::span<const double> losses);

/// Relative error: norm of the difference by norm of the reference, over all batches; infinite where one holds NaN or
/// Inf.
double output_error(const std::vector<Tensor>& outputs, const std::vector<Tensor>& reference);

}  // namespace hw
