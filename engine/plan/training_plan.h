// TrainingPlan: a training step of a graph as two Programs: forward and backward, then the updates.
#pragma once

#include "engine/plan/lower_loss.h"
#include "engine/plan/train_settings.h"
#include "engine/plan/whole_batch.h"

namespace hw {

/// States named after a parameter: its average; sums over the parts of a step, which mean nothing between updates.
inline constexpr char kAverage[] = "#average";
/// Adam's moments, and the updates of each element: see UpdateInputs.
inline constexpr char kFirstMoment[] = "#adam_m", kSecondMoment[] = "#adam_v", kUpdates[] = "#adam_t";
inline constexpr char kSum[] = "#sum";
inline constexpr char kTouchedSum[] = "#touched_sum";
/// How many Inf and NaN the last update wrote: see UpdateAttr.
inline constexpr char kNotFinite[] = "#not_finite";
/// After the Train node's id: the loss scale's state, LossScaleAttr.
inline constexpr char kLossScale[] = "#loss_scale";

/// Samples that the source nodes of one run of `program` make: their longest axis N. 1: they make none.
int64_t source_samples(const Program& program);

/// A step is a number of parts that draw what one batch would: the micro-batches of all ranks, rank by rank. What all
/// parts must know of each other comes first, `part_sums`; then `program` runs for each part. One part hands its
/// gradients to the updates; more add them to states, which the updates read.
struct TrainingPlan {
  std::shared_ptr<const Program> program;  // forward and backward
  std::shared_ptr<const Program> updates;  // null: nothing is updated
  std::vector<PartSums> part_sums;         // one after the other, each for all parts
  /// Inputs of `updates`, and where `program` makes them: gradients of parameters, marks of what they touch.
  std::vector<Port> handed;
  /// With several ranks, where `program` makes what running statistics follow. `updates` takes what each part of the
  /// step made as an input, statistic_of.
  std::vector<ValueId> statistics;
  uint64_t ranks = 1;   // that train together, with parts of the same size
  std::string trainer;  // node id
  TrainSettings settings;
  ValueId loss = kNoValue;
  int64_t batch = 0;                        // samples a step of all ranks: the longest axis N that a source node makes
  std::map<std::string, std::string> ties;  // node → the node whose parameters it uses
  std::map<SocketRef, LowerArgs::Arg> sockets;
  std::unordered_map<ValueId, ValueId> gradients;  // value → its gradient
  std::unordered_map<ValueId, double> unscale;     // value → 1 / gradient scale of its gradient, loss scale apart
  /// In `updates`, f64: how many elements of each of `updated` became Inf or NaN. In one value, or, where nodes have
  /// devices of their own, in one each.
  std::vector<ValueId> not_finite;
  std::vector<std::string> updated;    // parameters, in the order of the forward pass
  std::vector<std::string> unreached;  // sentences: see unreached_params
  /// Updates before the moments of a parameter began, by the name of the first of them: UpdateAttr::begun; of others 0.
  std::map<std::string, uint64_t> begun;
  std::vector<std::string> scaled;  // parameters whose gradients the loss scale's state counts; empty: no loss scaling

  /// The micro-batches of a step, on one rank and on all.
  uint64_t micro_batches() const { return static_cast<uint64_t>(settings.accumulate); }
  uint64_t parts() const { return micro_batches() * ranks; }
  /// `statistic`: a place in `statistics`.
  std::string statistic_of(size_t statistic, uint64_t part) const;
  /// Sets `begun`, also in the instructions of `updates`.
  void set_begun(std::map<std::string, uint64_t> begun);
  /// Devices may hold what need not be readable in layouts of their own, and compute neighbouring elementwise ops as
  /// one kernel, as they do where the plan trains.
  void allow_device_passes();
  /// `program`, `updates` where there are any, and those of `part_sums`.
  std::vector<std::shared_ptr<const Program>> programs() const;
};

/// Lowers the cone of the Train node's loss in training mode. `update` false: forward and backward only, states stay as
/// they are; gradients are those of a training step, loss scale included. Errors: HW-G006 (also learns_nothing, where
/// it updates), the first error of the cone as its diagnostic's text, and what lowering reports. `scale_loss` false:
/// without loss scaling, whatever the node says. `ranks`: that train together. `given`: outputs that become inputs of
/// `program`, "node.socket". `whole`: with part_sums, which the caller runs; without them a part's loss is that of its
/// samples alone.
Result<TrainingPlan> plan_training(const Graph& graph, Assets& assets, bool update = true, bool scale_loss = true,
                                   uint64_t ranks = 1, const GivenValues& given = {}, bool whole = false);

/// Whether a gradient reaches a trainable parameter.
bool learns(const TrainingPlan& plan);
/// HW-G006 at a Train node: it does not. `unreached`: see TrainingPlan.
Error learns_nothing(const std::string& trainer, const std::vector<std::string>& unreached);

/// The states of both programs by name, each once.
std::map<std::string, const Value*> states_of(const TrainingPlan& plan);

/// Whether two graphs lower to the same training program; live parameters, positions and labels do not matter.
bool same_structure(const Graph& a, const Graph& b);

}  // namespace hw
