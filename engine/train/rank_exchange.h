// RankExchange: what a rank gives to the others in a step, and gets from them. Single threaded, as the run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/plan/training_plan.h"
#include "engine/train/communicator.h"

namespace hw {

/// One object a run. A step is: order, for each of the plan's part_sums take_part_sums and add_part_sums, begin_part,
/// take_batch after each micro-batch, take_gradients, add_gradients. All ranks take part in each add_*, also one that
/// could not make its part: its error, on all ranks that of the step, goes with the reports. What takes only reads this
/// rank's executables. Alone, nothing is exchanged: what takes does nothing, and what adds gives back `made`.
class RankExchange {
 public:
  /// `alone`: without the others, whose number may be any. `program`: the plan's, of gradients.
  RankExchange(std::shared_ptr<Communicator> ranks, bool alone, const Program& program);

  bool is_alone() const { return alone_; }
  uint64_t rank() const { return ranks_->rank(); }

  /// Rank 0: has the others do the step, from `start` where their states may be others.
  Status order(uint64_t step, uint64_t steps, const TrainSettings& settings, const std::function<RankStart()>& start);
  /// The states of the ranks may differ from now on: the next order has a start.
  void lose_step() { in_step_ = false; }

  Status take_part_sums(const PartSums& sums, const Executable& from);
  /// `made`: what became of this rank's runs. `states` get the sums of all ranks.
  Status add_part_sums(Status made, const PartSums& sums, States& states);

  void begin_part() { part_ = {}; }
  Status take_batch(const TrainingPlan& plan, const Executable& gradients);
  Status take_gradients(const Executable& gradients);
  /// `states` get the sums of all ranks, `updates` the statistics of all parts.
  Status add_gradients(Status made, const TrainingPlan& plan, Executable* updates, States& states);
  /// After add_gradients: of all parts, those of all ranks. Alone: empty.
  std::vector<double> take_losses() { return std::exchange(part_.losses, {}); }

 private:
  struct Sum {
    std::string name;
    ValueId value;
  };
  struct Part {
    RankReport report;
    std::vector<Tensor> sums;    // of part sums, then of sums_
    std::vector<double> losses;  // of all ranks
  };
  /// The reports of all ranks. Then adds up part_.sums, right behind: no rank may leave between the two.
  Result<std::vector<RankReport>> gather_and_reduce(const Status& made);

  std::shared_ptr<Communicator> ranks_;
  bool alone_;
  std::vector<Sum> sums_;  // states that are added up over the micro-batches of a rank
  bool in_step_ = false;   // rank 0: the others have its states
  Part part_;
};

}  // namespace hw
