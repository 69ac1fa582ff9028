// Session: trains a graph on its own thread and hands out immutable snapshots.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/backend/backend.h"
#include "engine/devices/devices.h"
#include "engine/graph/graph.h"
#include "engine/graph/lower/lower.h"
#include "engine/instrument/instrument_pace.h"
#include "engine/plan/weights.h"
#include "engine/train/checkpoint.h"
#include "engine/train/communicator.h"
#include "engine/train/run_snapshot.h"

namespace hw {

class TrainingWatch;

/// All methods may be called from any one thread (the GUI's) and return at once. `on_change` is called on the session's
/// thread, at most 30 times a second and at every change of state.
class Session {
 public:
  using MakeDevice = std::function<Result<std::shared_ptr<Device>>(const std::string& id)>;
  /// `ranks`: those that train together; this is rank 0, the others are in follow() (engine/train/follower.h) for as
  /// long as the session lives. They see what is asked of it as the steps that it orders or does not.
  /// `threads`: of the CPU, that no other session uses (OwnThreads); 0: those of the process, which all share.
  Session(std::shared_ptr<Assets> assets, std::function<void()> on_change, MakeDevice devices = make_device,
          std::shared_ptr<Communicator> ranks = one_rank(), int threads = 0);
  ~Session();  // stops and joins; ends the other ranks

  /// Trains the graph's Train node from its settings. A running or paused session continues with the new graph:
  /// parameters whose (node id, name, shape, dtype) is unchanged keep weights and optimiser state. `steps` 0: to
  /// the end of the run that was stopped, else as many as the Train node says. `paused`: waits before the first step.
  void start(Graph graph, const std::string& device_id, uint64_t steps = 0, bool paused = false);
  /// Ends the run of load_checkpoint() at its step: what the end of a run measures and hands out, without another step.
  void end(Graph graph, const std::string& device_id);
  /// While running or paused: a structural edit pauses, lowers again, and goes on as it was; live parameters apply at
  /// the next step.
  /// What nodes that moved have learnt, and their optimiser's state, goes with them, at rest too; with other ranks
  /// they begin anew.
  void update_graph(Graph graph, const MovedNodes& moved = {});
  /// Files that the graph names have changed: lowers again and goes on as it was; weights and step stay.
  void reload_files();
  void pause();
  void resume();
  void step_once();
  void stop();   // keeps weights
  void reset();  // forgets weights; idle. Snapshots from before are handed out no more.
  /// Weights to begin with at the next start (from a file); forgets trained ones as reset() does.
  void load_weights(std::shared_ptr<const Weights> weights);
  /// The next start continues this run, to its own end or for as many steps more as are asked for; the run fails with
  /// HW-F005 where graph and checkpoint do not fit. Another optimiser, and parameters that were not trained before,
  /// begin with moments of 0, with a note. Forgets trained weights as reset() does.
  void load_checkpoint(std::shared_ptr<const Checkpoint> checkpoint);
  /// The next start goes on from the checkpoint, as load_checkpoint; where it does not fit the graph any more it begins
  /// with `weights` and a new optimiser, and a note says why.
  void continue_from(std::shared_ptr<const Checkpoint> checkpoint, std::shared_ptr<const Weights> weights);
  /// Copies all states after the step that runs, or at once when nothing runs; before what is asked later forgets them.
  void take_checkpoint(CheckpointSink sink);
  /// A checkpoint whenever the step is a multiple of `every`, and when a run ends or stops; 0: never.
  void checkpoint_every(uint64_t every, CheckpointSink sink);
  /// Whether snapshots carry weights while running (default) or only when it pauses or ends.
  void publish_weights_while_running(bool on);
  /// Shows every run of the training to `watch`, which may end it (engine/train/first_bad_value.h); null: to nobody.
  /// A watch serves one session.
  void watch(std::shared_ptr<TrainingWatch> watch);
  /// Puts instruments on every wire and parameter (engine/instrument/instruments.h), or takes them off. Default: none.
  void instruments(std::optional<InstrumentSettings> settings);
  /// What takes the place of outputs, in every step from the next start or edit on; of rank 0 alone.
  void give(GivenValues values);
  /// The node whose tensors and gradients the next snapshots carry; empty: none.
  void inspect(const std::string& node);

  std::shared_ptr<const RunSnapshot> snapshot() const;
  /// Blocks until all that was asked is done and nothing runs. For the CLI and tests.
  void wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hw
