// TrainingPlan: forward, backward and optimiser of a graph as one Program.
#pragma once

#include "engine/graph/lower.h"
#include "engine/run/train_settings.h"

namespace hw {

struct TrainingPlan {
  std::shared_ptr<const Program> program;
  std::string trainer;  // node id
  TrainSettings settings;
  ValueId loss = kNoValue;
  int64_t batch = 0;  // samples a step: the largest leading axis that a source node makes
  std::map<SocketRef, LowerArgs::Arg> sockets;
  std::unordered_map<ValueId, ValueId> gradients;  // value → its gradient
  std::unordered_map<ValueId, double> unscale;     // value → 1 / gradient scale of its gradient
};

/// Lowers the cone of the Train node's loss in training mode. `update` false: forward and backward only, states stay as
/// they are. Errors: HW-G006, the first error of the cone as its diagnostic's text, and what lowering reports.
Result<TrainingPlan> plan_training(const Graph& graph, Assets& assets, bool update = true);

/// Whether two graphs lower to the same training program; live parameters, positions and labels do not matter.
bool same_structure(const Graph& a, const Graph& b);

}  // namespace hw
