// TrainingPlan: forward, backward and optimiser of a graph as one Program.
#pragma once

#include "engine/graph/lower.h"
#include "engine/plan/train_settings.h"

namespace hw {

/// States named after a parameter: its average; sums over micro-batches, which mean nothing between updates.
inline constexpr char kAverage[] = "#average";
/// Adam's moments, and the updates of each element: see UpdateInputs.
inline constexpr char kFirstMoment[] = "#adam_m", kSecondMoment[] = "#adam_v", kUpdates[] = "#adam_t";
inline constexpr char kSum[] = "#sum";
inline constexpr char kTouchedSum[] = "#touched_sum";
/// How many Inf and NaN the last update wrote: see UpdateAttr.
inline constexpr char kNotFinite[] = "#not_finite";
/// After the Train node's id: the loss scale's state, LossScaleAttr.
inline constexpr char kLossScale[] = "#loss_scale";

struct TrainingPlan {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const Program> updates;  // runs after the last micro-batch; null: `program` updates
  std::string trainer;                     // node id
  TrainSettings settings;
  ValueId loss = kNoValue;
  int64_t batch = 0;                        // samples a step: the longest axis N that a source node makes
  std::map<std::string, std::string> ties;  // node → the node whose parameters it uses
  std::map<SocketRef, LowerArgs::Arg> sockets;
  std::unordered_map<ValueId, ValueId> gradients;  // value → its gradient
  std::unordered_map<ValueId, double> unscale;     // value → 1 / gradient scale of its gradient, loss scale apart
  /// In the program that updates, f64: how many elements of each of `updated` became Inf or NaN. In one value, or,
  /// where nodes have devices of their own, in one each. Empty: no update.
  std::vector<ValueId> not_finite;
  std::vector<std::string> updated;  // parameters, in the order of the forward pass
  std::vector<std::string> scaled;   // parameters whose gradients the loss scale's state counts; empty: no loss scaling
};

/// Lowers the cone of the Train node's loss in training mode. `update` false: forward and backward only, states stay as
/// they are; gradients are those of a training step, loss scale included. Errors: HW-G006, the first error of the cone
/// as its diagnostic's text, and what lowering reports. `scale_loss` false: without loss scaling, whatever the node
/// says.
Result<TrainingPlan> plan_training(const Graph& graph, Assets& assets, bool update = true, bool scale_loss = true);

/// The states of both programs by name, each once.
std::map<std::string, const Value*> states_of(const TrainingPlan& plan);

/// Whether two graphs lower to the same training program; live parameters, positions and labels do not matter.
bool same_structure(const Graph& a, const Graph& b);

}  // namespace hw
