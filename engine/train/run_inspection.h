// RunInspection: what a session looks at while it trains: the tensors of one node, and instruments on all of them; how
// often it may. Single threaded: the session's worker.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "engine/train/training_run.h"

namespace hw {

class RunInspection {
 public:
  using Clock = std::chrono::steady_clock;

  /// Another node, at once; "": none.
  void choose(const std::string& node);
  const std::string& node() const { return node_; }
  /// The tensors of the node; null: not looked at yet.
  const std::shared_ptr<const NodeInspection>& tensors() const { return tensors_; }
  /// Whether they are of the last of `steps` steps.
  bool is_of_last(uint64_t steps) const { return tensors_ && tensors_->node == node_ && tensors_->step + 1 == steps; }
  /// Whether the next step is to be looked at; `is_last`: the run ends with it.
  bool is_due(bool is_last) const { return !node_.empty() && (is_last || Clock::now() >= next_); }
  void make_due() { next_ = {}; }
  /// Before a step that is looked at: what `run` copies for it.
  void prepare(TrainingRun& run, uint64_t step);
  /// After `step`, the last one of `run`. Its cost decides when the next one is due.
  void take(const TrainingRun& run, uint64_t step);

  /// Instruments on every wire and parameter; none: takes them off. `run` may be null.
  void set_instruments(const std::optional<InstrumentSettings>& settings, TrainingRun* run);
  /// A run that was made anew gets them, and the history of gradients so far.
  void attach(TrainingRun& run);
  void take_readings(TrainingRun& run);
  bool readings_are_due() const;
  const std::shared_ptr<const InstrumentReadings>& readings() const { return readings_; }

  /// What was looked at, of a training that is no more; what is to be looked at stays.
  void forget();

 private:
  std::string node_;
  std::shared_ptr<const NodeInspection> tensors_;
  Clock::duration preparing_{};  // of the step that was prepared last
  Clock::time_point next_;
  std::optional<InstrumentSettings> instruments_;
  std::shared_ptr<const InstrumentReadings> readings_;
  Clock::time_point read_;
};

}  // namespace hw
