// TestMetrics: the graph's metrics (Accuracy, …) over the whole test split, in evaluation mode.
#pragma once

#include "engine/backend/backend.h"
#include "engine/graph/lower.h"

namespace hw {

/// Metric nodes are lowered once, for blocks of rows and for the rows that are left over; measure() runs both with the
/// states of a training run, which it does not change. Single threaded.
class TestMetrics {
 public:
  /// Null when the graph has no metric. Errors: why none of them is valid; HW-A003, no test split is read; what
  /// lowering and the device report.
  static Result<std::unique_ptr<TestMetrics>> make(const Graph& graph, const std::shared_ptr<Device>& device,
                                                   Assets& assets, const std::shared_ptr<States>& states);
  /// By node: the mean over the samples of the test split. Error HW-R004 when cancelled, or when `stopped`, which is
  /// asked between blocks of samples, says so.
  Result<std::map<std::string, double>> measure(uint64_t seed, const std::atomic<bool>* cancel,
                                                const std::function<bool()>& stopped);
  int64_t samples() const { return samples_; }

 private:
  /// One lowering of all metrics for a fixed number of rows.
  struct Part {
    std::unique_ptr<Executable> executable;
    std::vector<ValueId> values;  // in the order of nodes_
    int64_t rows = 0;
    int64_t steps = 0;
  };
  Result<Part> lower_part(const Graph& graph, Device& device, Assets& assets, const std::shared_ptr<States>& states,
                          int64_t rows, int64_t first, int64_t steps) const;

  std::vector<SocketRef> nodes_;
  std::vector<Part> parts_;
  int64_t samples_ = 0;
};

}  // namespace hw
