// The inside of a Session: its worker thread and what it owns.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/train/session.h"
#include "engine/train/session_requests.h"
#include "engine/train/sound_states.h"
#include "engine/train/split_metrics.h"
#include "engine/train/training_run.h"

namespace hw {

struct Session::Impl {
  using Clock = std::chrono::steady_clock;

  Impl(std::shared_ptr<Assets> assets, std::function<void()> on_change, MakeDevice devices,
       std::shared_ptr<Communicator> ranks);
  ~Impl();
  template <class F>
  void request(F&& change) {
    {
      const std::lock_guard lock(mutex_);
      change(requests_);
      busy_ = true;
    }
    wake_.notify_all();
  }

  /// In a request: everything so far is to be forgotten.
  void drop_all(SessionRequests& r);

  // ---- worker thread: session.cpp, session_run.cpp, session_checkpoints.cpp

  void loop();
  void serve(SessionRequests& r);
  void forget();
  /// Lowers and compiles graph_; on success goes to `next`. `extend`: another run of steps on top.
  void prepare(RunState next, bool extend);
  /// Puts the run where checkpoint_ was taken; what is no longer as it was then is noted.
  Status restore();
  /// Null when nothing was trained, or when it failed, which states that are not sound make it do.
  std::shared_ptr<const Checkpoint> make_checkpoint(uint64_t every);
  /// A checkpoint is made of sound states alone: the run fails where they are not.
  void checkpoint_now();
  void resume();
  /// What is kept by the names of nodes that moved is kept by their new names. The run that was made before is of no
  /// more use.
  void move(const MovedNodes& moved);
  /// `lower_again`: also when its structure is as it was.
  void update(Graph graph, bool lower_again);
  void step();
  /// Whether the losses up to `step` are to be read once it has begun.
  bool settles_at(uint64_t step) const;
  /// Waits for the steps that were begun and counts them. False: one failed, and so has the session.
  bool settle();
  void fail_step(const Error& error);
  void finish(RunState state);
  bool has_split(Split split) const { return hw::has_split(*run_->plan().program, split); }
  /// The metrics over `split`, with the present weights: averaged ones where there are. The test split, once the run
  /// has ended: with those that it hands out.
  void measure(Split split);
  /// Null: there is nothing to measure, or it cannot be, which a note says.
  SplitMetrics* metrics_of(Split split);
  /// On the validation split; keeps the weights where its loss is the lowest so far.
  void validate();
  void fail(Error error);
  /// In a catch block: the run fails with the exception being handled.
  void fail_of_exception() noexcept;
  /// Whether the states may be kept: after a step that failed only when none holds NaN or Inf.
  bool is_sound();
  /// Inspects another node, "": none, from the next step on, and at once where nothing runs.
  void inspect(const std::string& node);
  /// Nothing runs: computes what the next step would see, without changing any state. Nothing where the inspection is
  /// of the last step.
  void inspect_at_rest();
  /// What a run hands out in this state: the best weights once it has ended, where it keeps them; else the present
  /// ones.
  bool hands_out_best(RunState state) const;
  /// After a step that failed: the states, and the weights, become those before it.
  void take_sound_weights();
  /// Leaves the last ones where the states are not sound.
  void take_weights(RunState state);
  /// take_inspection of the next step, also where it is not finite. Changes no state.
  void inspect_next_step();
  /// Takes the inspection of `step`, the last one of `run`. `preparing`: seconds that its preparation took.
  void take_inspection(const TrainingRun& run, uint64_t step, double preparing = 0);
  void take_readings();
  void set_state(RunState state);
  std::string trainer() const { return run_ ? run_->plan().trainer : ""; }
  void publish();

  const std::shared_ptr<Assets> assets_;
  const std::function<void()> on_change_;
  const MakeDevice make_device_;
  const std::shared_ptr<Communicator> ranks_;
  std::atomic<bool> cancel_ = false;
  std::atomic<bool> publish_weights_ = true;

  // Guarded by mutex_.
  mutable std::mutex mutex_;
  std::condition_variable wake_, settled_;
  SessionRequests requests_;
  std::shared_ptr<const RunSnapshot> snapshot_;
  const std::shared_ptr<const RunSnapshot>
      out_of_memory_snapshot_;  // made in advance: there may be no memory for another
  bool quit_ = false;
  bool busy_ = false;
  uint64_t requested_generation_ = 0;  // counts resets; no snapshot of an earlier one is published

  // Worker thread only.
  uint64_t generation_ = 0;
  RunState state_ = RunState::idle;
  Graph graph_;
  std::string device_id_;
  uint64_t requested_steps_ = 0;
  std::unique_ptr<TrainingRun> run_;
  TrainingProgress progress_;
  uint64_t target_ = 0, began_ = 0;  // the steps where the run is to end and where it began
  uint64_t ahead_ = 0;               // steps that were begun and are not in progress_ yet
  std::shared_ptr<const Weights> initial_, weights_;
  std::shared_ptr<const Checkpoint> checkpoint_;  // the next start goes on from here
  uint64_t every_ = 0;
  CheckpointSink every_sink_;
  std::optional<uint64_t> checkpointed_;  // step of the newest checkpoint
  uint64_t weights_step_ = 0;
  std::map<Split, std::unique_ptr<SplitMetrics>> metrics_;  // null: there are none; empty: the graph was lowered since
  std::shared_ptr<const Measurement> measured_;
  std::shared_ptr<const std::vector<RunHistory::Metrics>> measurements_;
  std::optional<Best> best_;
  std::shared_ptr<TrainingWatch> watch_;
  std::shared_ptr<const BadValue> bad_value_;
  std::optional<InstrumentSettings> instruments_;
  std::shared_ptr<const InstrumentReadings> readings_;
  GivenValues given_;
  std::string inspected_;
  std::shared_ptr<const NodeInspection> inspection_;
  std::vector<std::string> notes_;
  std::optional<Error> error_;
  SoundStates sound_;
  bool suspect_ = false;  // a step failed: its update may have written NaN
  bool blocked_ = false;  // an edit made the graph wrong while it was active
  RunState blocked_state_ = RunState::idle;
  double elapsed_ = 0;
  std::deque<std::pair<Clock::time_point, uint64_t>> rate_;
  Clock::time_point published_, weights_time_, next_inspection_, readings_time_;

  std::thread thread_;
};

}  // namespace hw
