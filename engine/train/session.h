// Session: trains a graph on its own thread and hands out immutable snapshots.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "engine/backend/backend.h"
#include "engine/graph/graph.h"
#include "engine/instrument/instrument_pace.h"
#include "engine/instrument/node_kernels.h"
#include "engine/plan/weights.h"
#include "engine/train/checkpoint.h"

namespace hw {

struct BadValue;
struct InstrumentReadings;
class TrainingWatch;

enum class RunState : uint8_t { idle, preparing, running, paused, finished, failed };
std::string_view name(RunState state);

/// The tensors of one node, all of one moment: what the passes of a step computed, and the parameters as these passes
/// read them, before that step's update. Immutable.
struct NodeInspection {
  std::string node;
  uint64_t step = 0;  // 0-based
  struct Item {
    std::string name;  // socket or parameter id
    bool is_param = false;
    Tensor value;     // empty: not available
    Tensor gradient;  // empty: no gradient flows here
    std::string no_gradient_because;
    double gradient_scale = 1;  // the stored gradient is this many times the true one
  };
  std::vector<Item> items;  // inputs' sources are not repeated: outputs first, then parameters
  NodeKernels kernels;
};

/// A value that goes between devices, or between parts of a step on one, because nodes have devices of their own.
struct TransferReading {
  std::string value;     // "node.socket", "grad(node.socket)", a state's name; empty: made and used inside `node`
  std::string node;      // whose ops made it; empty: a state, an input
  std::string from, to;  // devices, by id
  double bytes = 0;      // a step, micro-batches together
  double ms = 0;         // mean a step, on the host: from when it is made until the other device has been given it
};

/// What ran so far. Immutable once handed out.
struct RunSnapshot {
  RunState state = RunState::idle;
  uint64_t step = 0;         // steps done
  uint64_t steps = 0;        // steps asked for
  double samples_per_s = 0;  // over the last second or so; once it ended, over all steps
  double seconds = 0;        // training time so far
  double loss = 0;           // of the last step: the mean of its batches, before the update, in training mode
  double learning_rate = 0;  // of the next step, after its schedule
  double loss_scale = 1;
  std::shared_ptr<const std::vector<LossScaleEvent>>
      loss_scales;                                   // the first step, then changes; null: no loss scaling
  std::shared_ptr<const std::vector<float>> losses;  // one a step
  std::shared_ptr<const RunHistory> history;         // null while it runs
  /// Mean a step, forward + backward + update. On a GPU whole steps are timed, and shared out as in the last one that
  /// was launched op by op: the second, and one in a thousand.
  std::map<std::string, double> node_ms;
  std::map<std::string, NodeKernels> node_kernels;
  std::vector<TransferReading> transfers;  // the most bytes first; empty: all runs on one device
  size_t memory_bytes = 0;
  size_t states_bytes = 0;                 // of what a checkpoint keeps
  std::shared_ptr<const Weights> weights;  // renewed at most 10 times a second, and at the end
  uint64_t weights_step = 0;
  std::shared_ptr<const NodeInspection> inspection;  // of the node asked for
  std::shared_ptr<const InstrumentReadings>
      instruments;                            // renewed at most 5 times a second, and at the end; null: none
  std::map<std::string, double> metrics;      // by node, over the test split; empty: none measured yet
  uint64_t metrics_step = 0;                  // steps done when they were measured
  int64_t metrics_samples = 0;                // over how many: the whole test split
  std::vector<std::string> notes;             // "encoder.table re-initialised: shape changed"
  std::optional<Error> error;                 // state failed
  std::shared_ptr<const BadValue> bad_value;  // what a watch ended the run for; the error says it in short
};

/// All methods may be called from any one thread (the GUI's) and return at once. `on_change` is called on the session's
/// thread, at most 30 times a second and at every change of state.
class Session {
 public:
  using MakeDevice = std::function<Result<std::shared_ptr<Device>>(const std::string& id)>;
  Session(std::shared_ptr<Assets> assets, std::function<void()> on_change, MakeDevice devices = make_device);
  ~Session();  // stops and joins

  /// Trains the graph's Train node from its settings. A running or paused session continues with the new graph:
  /// parameters whose (node id, name, shape, dtype) is unchanged keep weights and optimiser state. `steps` 0: to
  /// the end of the run that was stopped, else as many as the Train node says. `paused`: waits before the first step.
  void start(Graph graph, const std::string& device_id, uint64_t steps = 0, bool paused = false);
  /// While running or paused: a structural edit pauses, lowers again, and goes on as it was; live parameters apply at
  /// the next step.
  void update_graph(Graph graph);
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
  /// HW-F005 where graph and checkpoint do not fit. Forgets trained weights as reset() does.
  void load_checkpoint(std::shared_ptr<const Checkpoint> checkpoint);
  /// The next start goes on from the checkpoint, as load_checkpoint; where it does not fit the graph any more it begins
  /// with `weights` and a new optimiser, and a note says why.
  void continue_from(std::shared_ptr<const Checkpoint> checkpoint, std::shared_ptr<const Weights> weights);
  /// Copies all states after the step that runs, or at once when nothing runs.
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
