// Communicator: what the ranks that train one graph together say to each other.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/plan/train_settings.h"

namespace hw {

/// A training as rank 0 has it before a step.
struct RankStart {
  Graph graph;
  std::string device;                     // id; the same on all ranks, since devices round differently
  std::map<std::string, Tensor> states;   // all that last from step to step, by name
  std::map<std::string, uint64_t> begun;  // as a Checkpoint's
};

/// One step for all ranks. What does not come as an order does not happen: a pause, a stop, a checkpoint and a failure
/// are rank 0's not to order the next step.
struct RankOrder {
  std::shared_ptr<const RankStart> start;  // null: from where the order before led
  uint64_t step = 0, steps = 0;            // as TrainingRun::advance
  TrainSettings settings;                  // live parameters
};

/// A rank's part of a step before the update, or why there is none.
struct RankReport {
  std::vector<double> losses;      // of each micro-batch
  std::vector<Tensor> statistics;  // TrainingPlan::statistics of each micro-batch
  std::optional<Error> error;
};

/// One object a rank, used from one thread. All ranks make the same calls in the same order; each call waits for all
/// ranks. Errors: the connection is lost; nothing more can be said then.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// From 0; less than size().
  virtual uint64_t rank() const = 0;
  virtual uint64_t size() const = 0;
  /// Rank 0's order, on all ranks; what the others give is ignored. None: there are no more steps.
  virtual Result<std::optional<RankOrder>> broadcast(std::optional<RankOrder> order) = 0;
  /// The reports of all ranks, by rank, on all ranks.
  virtual Result<std::vector<RankReport>> all_gather(RankReport report) = 0;
  /// In place of each tensor the sum of all ranks', ((x0 + x1) + x2) + … by add_gradient: the same bits on all ranks.
  /// Dtypes and sizes are the same on all ranks.
  virtual Status all_reduce(std::span<Tensor> tensors) = 0;
};

/// The only rank. Its calls give back what they are given.
std::shared_ptr<Communicator> one_rank();

/// sum += term, to the bit as Op::accumulate does on one rank. f32, f64; u8: marks, of which either is enough.
void add_gradient(Tensor& sum, const Tensor& term);

}  // namespace hw
