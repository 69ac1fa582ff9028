// RunMeasurements: what a session measures on splits of the data set. Single threaded: the session's worker.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/train/best_weights.h"
#include "engine/train/split_metrics.h"
#include "engine/train/training_run.h"

namespace hw {

class RunMeasurements {
 public:
  /// What is measured: a run, the graph that it was made of, what it has done; how long.
  struct Of {
    TrainingRun& run;
    const Graph& graph;
    Assets& assets;
    TrainingProgress& progress;        // gets the numbers in its history
    std::vector<std::string>& notes;   // get why there is nothing to measure, or not all
    const std::atomic<bool>* cancel;   // see SplitMetrics::measure
    std::function<bool()> is_stopped;  // the same
  };

  /// All that was measured.
  void forget() { *this = RunMeasurements(); }
  /// The graph was lowered again: its metrics are to be, too.
  void lowered_again() { metrics_.clear(); }
  /// The numbers of a run that goes on.
  void take_over(const RunHistory& history);

  /// Whether a data set of the run has the split.
  static bool has_split(const TrainingRun& run, Split split) { return hw::has_split(*run.plan().program, split); }
  /// The metrics over `split`, with the present weights, averaged ones where there are; the test split with those of
  /// the best where `shown` are these. False: there is nothing to measure, it was stopped, or what failed the next step
  /// reports.
  bool measure(Split split, const Of& of, const std::shared_ptr<const Weights>& shown);
  /// On the validation split, once a step; keeps the weights where its loss is the lowest so far. As measure.
  bool validate(const Of& of);

  BestWeights& best() { return best_; }
  const BestWeights& best() const { return best_; }
  /// The last one; null: none yet.
  const std::shared_ptr<const Measurement>& last() const { return last_; }
  /// All so far; null: none.
  const std::shared_ptr<const std::vector<RunHistory::Metrics>>& all() const { return all_; }

 private:
  /// Null: there is nothing to measure, or it cannot be, which a note says.
  SplitMetrics* metrics_of(Split split, const Of& of);

  std::map<Split, std::unique_ptr<SplitMetrics>> metrics_;  // null: there are none; none: not lowered yet
  std::shared_ptr<const Measurement> last_;
  std::shared_ptr<const std::vector<RunHistory::Metrics>> all_;
  BestWeights best_;
};

}  // namespace hw
