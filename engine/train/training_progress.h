// TrainingProgress: the states and counters of a training that stay when a graph is lowered again.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/plan/train_settings.h"
#include "engine/train/checkpoint.h"
#include "engine/train/step_judge.h"

namespace hw {

/// Losses, and what its history has for each step, are one a step done. Single threaded, as the run.
struct TrainingProgress {
  std::shared_ptr<States> states;
  /// As TrainingPlan::begun.
  std::map<std::string, uint64_t> begun;
  uint64_t step = 0;
  std::vector<float> losses;
  RunHistory history;
  std::vector<LossScaleEvent> loss_scales;
  /// The settings that the loss scale began from; editing them starts it anew.
  std::optional<std::pair<TrainSettings::LossScaling, double>> scaling;

  /// A step that went well. `seconds`: training time so far.
  void add(const StepOutcome& outcome, double learning_rate, double seconds);
  /// The steps from `to` on are undone.
  void go_back(uint64_t to);
  /// All but the states: the steps before a checkpoint. Of those that an older version has done less is known: NaN.
  void take_over(const Checkpoint& checkpoint);
};

}  // namespace hw
