// SplitMetrics: the graph's metrics (Accuracy, Confusion Matrix, …) over a whole split, in evaluation mode.
#pragma once

#include <functional>

#include "engine/backend/backend.h"
#include "engine/graph/lower/lower.h"
#include "engine/train/measurement.h"

namespace hw {

/// Whether one of the data sets that a program draws from has samples in this split.
bool has_split(const Program& program, Split split);

/// Metric nodes are lowered once, for blocks of rows and for the rows that are left over; measure() runs both with the
/// states of a training run, which it does not change. Single threaded.
class SplitMetrics {
 public:
  /// Where a data set has a validation split the loss of the Train node `trainer` is measured, too. Null when there is
  /// nothing to measure. `notes`: why a metric is not measured while others are. Errors: why none of them is valid;
  /// HW-A003, no such split is read; HW-R001 before memory is taken; what lowering and the device report.
  static Result<std::unique_ptr<SplitMetrics>> make(const Graph& graph, const std::string& trainer, Split split,
                                                    const std::shared_ptr<Device>& device, Assets& assets,
                                                    const std::shared_ptr<States>& states,
                                                    std::vector<std::string>& notes);
  /// All but the step. Error HW-R004 when cancelled, or when `stopped`, which is called between blocks of samples,
  /// returns true.
  Result<Measurement> measure(uint64_t seed, const std::atomic<bool>* cancel, const std::function<bool()>& stopped);

 private:
  struct Metric {
    std::string node;  // "": the loss
    MetricReduction reduction = MetricReduction::mean;
    std::vector<SocketRef> outputs;
  };
  /// One lowering of all metrics for a fixed number of rows.
  struct Part {
    std::unique_ptr<Executable> executable;
    std::vector<std::vector<ValueId>> values;  // of each metric its outputs
    int64_t rows = 0, first = 0, steps = 0;
    std::vector<std::unique_ptr<Executable>> sums = {};  // what all blocks must know of each other: PartSums
  };
  /// What the blocks so far came to, for each metric.
  using Sums = std::vector<std::vector<Tensor>>;
  /// `part` with rows, first and steps alone.
  Status lower_part(const Graph& graph, Device& device, Assets& assets, Part part);
  /// Runs what `executable` says of a part, for all blocks; then `done`.
  Status for_blocks(const StepInputs& inputs, const std::function<bool()>& stopped,
                    const std::function<Executable&(Part&)>& executable,
                    const std::function<Status(const Part&, int64_t)>& done);
  Status add_block(const Part& part, int64_t step, Sums& sums) const;

  Split split_ = Split::test;
  std::vector<Metric> metrics_;
  std::vector<Part> parts_;
  std::shared_ptr<States> states_;
  int64_t samples_ = 0;
  std::vector<std::string> class_names_;
};

}  // namespace hw
