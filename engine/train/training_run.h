// TrainingRun: a training plan compiled on a device, with its states: one rank's part of a training. Single threaded;
// Session drives rank 0's, follow() the others'.
#pragma once

#include "engine/instrument/instruments.h"
#include "engine/plan/step_stages.h"
#include "engine/train/inspected_node.h"
#include "engine/train/rank_exchange.h"
#include "engine/train/run_snapshot.h"
#include "engine/train/step_results.h"
#include "engine/train/training_progress.h"
#include "engine/train/training_watch.h"

namespace hw {

/// Lowered and compiled once; steps run one after another. States are shared with the TrainingProgress it was made
/// from.
class TrainingRun {
 public:
  /// `progress` states are kept where name, shape and dtype agree; what was made anew (and was there before) is
  /// appended to `notes`. `initial` (may be null) overwrites parameters that were made anew. `update` false: steps
  /// compute the part of this rank, but change nothing and send nothing to other ranks. `given`: in every step.
  static Result<std::unique_ptr<TrainingRun>> make(const Graph& graph, std::shared_ptr<Device> device, Assets& assets,
                                                   TrainingProgress& progress, const Weights* initial,
                                                   const std::string& inspected, bool update,
                                                   std::vector<std::string>& notes,
                                                   std::shared_ptr<Communicator> ranks = one_rank(),
                                                   GivenValues given = {});
  /// A run that only inspects, of any graph: steps of its Train node that update nothing, with gradients where
  /// something learns; without a Train node passes of plan_pass, whose loss is 0. `seed`: default the Train node's,
  /// else 0.
  static Result<std::unique_ptr<TrainingRun>> make_looking(const Graph& graph, std::shared_ptr<Device> device,
                                                           Assets& assets, const Weights* weights, GivenValues given,
                                                           std::optional<uint64_t> seed = {});

  /// One step at `step` of a run that ends at `steps`: all micro-batches, the sum over the ranks, and the update.
  /// Returns the mean loss. Error HW-R003 when it is not finite. Rank 0 orders the step of the others, which have to be
  /// in follow().
  Result<double> step(uint64_t step, uint64_t steps, const std::atomic<bool>* cancel);
  /// The same without waiting for the loss: on an asynchronous device the next step can be asked for at
  /// once. Nothing more runs once a step is known to have failed.
  Status advance(uint64_t step, uint64_t steps, const std::atomic<bool>* cancel);
  /// Steps [first, last) of a run that ends at `steps` once more, from the states before `first`: nobody watches, and
  /// what came of them is known.
  Status repeat(uint64_t first, uint64_t last, uint64_t steps, const std::atomic<bool>* cancel);
  /// The results of all steps since the last call, in order, up to the first error. Waits for them.
  Result<std::vector<StepOutcome>> outcomes();
  /// Whether advance returns before its step has run.
  bool is_asynchronous() const { return executable_->is_asynchronous() && !watch_ && exchange_->is_alone(); }
  /// False after an executable could not be made: the run is of no more use.
  bool is_compiled() const { return executable_ && bool(updates_) == bool(plan_.updates); }
  /// Keeps the outputs and gradients of this node readable from the next step on; empty: none.
  Status inspect(const std::string& node);
  /// Shows every run to `watch` (null: to nobody) and keeps all values readable. Error HW-R001 when they do not fit.
  Status set_watch(std::shared_ptr<TrainingWatch> watch);
  /// Instruments on every wire and parameter, from the next step on; none: takes them off. `earlier`: as Instruments'.
  void set_instruments(const std::optional<InstrumentSettings>& settings, const GradientHistory* earlier = nullptr);
  /// The readings of the instruments; null without instruments, and before the first look.
  std::shared_ptr<const InstrumentReadings> readings();
  /// Before `step` of a run that updates: copies the inspected node's parameters, and wires that are states, as the
  /// step will read them.
  void prepare_inspection(uint64_t step) { inspected_.prepare(plan_, *states_, step); }
  /// After `step`, the last one that was begun: copies of the inspected node's tensors. Null when no node is inspected,
  /// it is not part of the run, or a step that updates was not prepared for.
  Result<std::shared_ptr<const NodeInspection>> read_inspection(uint64_t step) const {
    return inspected_.read(plan_, *executable_, step, results_.scale());
  }
  /// Copies of all states that last from step to step, by name.
  std::map<std::string, Tensor> read_states() const;
  /// HW-R003 where a state that no update judges holds NaN or Inf: running statistics, frozen parameters. For the rest
  /// see StepOutcome.
  Status check_statistics() const;
  /// See restore_states. Compiles again where moments begin elsewhere than so far.
  Status restore(const Checkpoint& checkpoint, std::vector<std::string>* notes = nullptr);
  /// Bias corrections leave out these updates: TrainingPlan::begun.
  Status count_moments_from(std::map<std::string, uint64_t> begun);
  /// Copies of all parameter views; averaged ones where the settings say so.
  std::shared_ptr<const Weights> read_weights() const;
  /// Runs `work` while parameters have the values `weights`, of read_weights (null: those of now), and puts them back
  /// to the bit, also when it throws.
  Status with_weights(const Weights* weights, const std::function<Status()>& work);

  /// Live parameters of the Train node.
  void set_settings(const TrainSettings& settings) { plan_.settings = settings; }
  const TrainingPlan& plan() const { return plan_; }
  const GivenValues& given() const { return given_; }
  const Graph& graph() const { return *graph_; }
  /// Mean milliseconds a step of each node since it was compiled.
  std::map<std::string, double> node_ms() const;
  /// The transfers that nodes with a device of their own cause, the most bytes first.
  std::vector<TransferReading> transfers() const;
  /// The current kernels: a device may change its choice in the first runs.
  std::map<std::string, NodeKernels> node_kernels() const;
  /// What a step asks of the device: Executable::device_work of its programs, the first once for each micro-batch.
  std::optional<DeviceWork> device_work() const;
  size_t memory_bytes() const;
  /// A step ended by an exception: what kernels keep from step to step is not to be relied on.
  bool cut_short() const { return cut_short_; }
  /// The size of what read_states() gives.
  size_t states_bytes() const;
  const std::shared_ptr<Device>& device() const { return device_; }
  const std::shared_ptr<States>& states() const { return states_; }

 private:
  TrainingRun() = default;
  static Result<std::unique_ptr<TrainingRun>> make_of(TrainingPlan plan, const Graph& graph,
                                                      std::shared_ptr<Device> device, TrainingProgress& progress,
                                                      const Weights* initial, const std::string& inspected, bool update,
                                                      std::vector<std::string>& notes,
                                                      std::shared_ptr<Communicator> ranks, GivenValues given);
  Status compile();
  /// `before`: the loss scale's state so far, or empty. A structural edit keeps it, and the count of updates; a run
  /// that updates nothing leaves it.
  Status begin_loss_scale(TrainingProgress& progress, const std::vector<double>& before, bool update);
  /// Whether the settings ask for averaged weights, and there are some.
  bool averages() const { return plan_.settings.ema_decay > 0 && plan_.settings.use_averaged; }
  Status run_watched(Executable& executable, const Program& program, const StepInputs& inputs, ValueProbe* probe);
  /// The runs of a step.
  Status run_step(const StepOfRun& at, ValueProbe* probe);
  /// What all parts of the step must know of each other, of this rank's micro-batches and then of all ranks.
  Status sum_parts(const StepStage& stage);
  /// Runs this rank's micro-batches, and adds up what the ranks made. The losses of all parts; alone they are read back
  /// and not waited for: none.
  Result<std::vector<double>> make_gradients(const StepStage& stage, const StepOfRun& at, ValueProbe* probe);
  /// What `work` returns; of an exception, which cuts the step short, its Error.
  Status uncut(const std::function<Status()>& work);
  /// Waits for the steps that were begun, up to the first that failed.
  Status settle();

  TrainingPlan plan_;
  GivenValues given_;
  std::shared_ptr<const Graph> graph_;  // that the plan was made of
  std::shared_ptr<Device> device_;
  std::shared_ptr<States> states_;
  std::vector<std::unique_ptr<Executable>> part_sums_;  // of plan_.part_sums
  std::unique_ptr<Executable> executable_;              // of gradients
  std::unique_ptr<Executable> updates_;  // reads the gradients where they are made; null: nothing is updated
  std::optional<RankExchange> exchange_;
  InspectedNode inspected_{"", true};
  StepResults results_;
  std::shared_ptr<TrainingWatch> watch_;  // may be null
  std::optional<Instruments> instruments_;
  uint64_t timed_steps_ = 0;
  bool cut_short_ = false, repeats_ = false;
};

}  // namespace hw
