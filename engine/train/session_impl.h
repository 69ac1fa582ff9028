// The inside of a Session: its worker thread, and what that thread does with the parts of a run.
#pragma once

#include <chrono>
#include <thread>

#include "engine/train/run_checkpoints.h"
#include "engine/train/run_inspection.h"
#include "engine/train/run_measurements.h"
#include "engine/train/run_pace.h"
#include "engine/train/run_target.h"
#include "engine/train/session.h"
#include "engine/train/session_mailbox.h"
#include "engine/train/sound_states.h"
#include "engine/train/training_run.h"

namespace hw {

struct Session::Impl {
  using Clock = std::chrono::steady_clock;

  Impl(std::shared_ptr<Assets> assets, std::function<void()> on_change, MakeDevice devices,
       std::shared_ptr<Communicator> ranks, int threads);
  ~Impl();

  // ---- worker thread: session.cpp, session_run.cpp, session_checkpoints.cpp

  void loop();
  void serve(SessionRequests& r);
  void forget();
  /// Lowers and compiles graph_; on success goes to `next`. `extend`: another run of steps on top.
  void prepare(RunState next, bool extend);
  /// Puts the run where `from` was taken; what is no longer as it was then is noted.
  Status restore(const Checkpoint& from);
  /// Null when nothing was trained, or when it failed, which states that are not sound make it do.
  std::shared_ptr<const Checkpoint> make_checkpoint(uint64_t every);
  /// The same of a run that failed, too, whose states are those before the step that did. `every`: the checkpoint's.
  std::shared_ptr<const Checkpoint> copy_of_run(uint64_t every, bool with_weights);
  /// What was trained goes on on the next device as from a checkpoint.
  void leave_device();
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
  bool has_split(Split split) const { return RunMeasurements::has_split(*run_, split); }
  RunMeasurements::Of measured_of();
  void measure(Split split);
  void validate();
  void fail(Error error);
  /// In a catch block: the run fails with the exception being handled.
  void fail_of_exception() noexcept;
  /// Inspects another node, "": none, from the next step on, and at once where nothing runs.
  void inspect(const std::string& node);
  /// Nothing runs: computes what the next step would see, without changing any state. Nothing where the inspection is
  /// of the last step.
  void inspect_at_rest();
  /// What a run hands out in this state: the best weights once it has ended, where it keeps them; else the present
  /// ones.
  bool hands_out_best(RunState state) const;
  bool shows_best() const { return measurements_.best().are(weights_); }
  /// After a step that failed: the states, and the weights, become those before it.
  void take_sound_weights();
  /// Leaves the last ones where the states are not sound.
  void take_weights(RunState state);
  /// The inspection of the next step, also where it is not finite. Changes no state.
  void inspect_next_step();
  void set_state(RunState state);
  std::string trainer() const { return run_ ? run_->plan().trainer : ""; }
  void publish();

  const std::shared_ptr<Assets> assets_;
  const std::function<void()> on_change_;
  const MakeDevice make_device_;
  const std::shared_ptr<Communicator> ranks_;

  // Any thread.
  std::atomic<bool> cancel_ = false;
  std::atomic<bool> publish_weights_ = true;
  SessionMailbox mailbox_;

  // Worker thread only.
  RunState state_ = RunState::idle;
  Graph graph_;
  std::string device_id_;
  std::unique_ptr<TrainingRun> run_;
  TrainingProgress progress_;
  RunTarget target_;
  uint64_t ahead_ = 0;  // steps that were begun and are not in progress_ yet
  std::shared_ptr<const Weights> initial_, weights_;
  uint64_t weights_step_ = 0;
  RunCheckpoints checkpoints_;
  RunMeasurements measurements_;
  RunInspection inspection_;
  SoundStates sound_;
  RunPace pace_;
  std::shared_ptr<TrainingWatch> watch_;
  std::shared_ptr<const BadValue> bad_value_;
  GivenValues given_;
  std::vector<std::string> notes_;
  std::optional<Error> error_;
  std::optional<RunState> blocked_;  // an edit made the graph wrong while the run was in this state
  Clock::time_point published_, weights_time_;

  std::thread thread_;
};

}  // namespace hw
