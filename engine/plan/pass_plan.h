// A pass of a graph without a Train node, as a plan: for instruments that inspect steps.
#pragma once

#include "engine/plan/training_plan.h"

namespace hw {

/// All that the graph's last outputs depend on, forward and in evaluation mode; no loss (kNoValue), no gradients and no
/// updates. Last: what nothing is wired to, or only nodes without outputs. `given`: as plan_training's. Errors: HW-G003
/// where there are none, and what lowering reports.
Result<TrainingPlan> plan_pass(const Graph& graph, Assets& assets, const GivenValues& given = {});

/// Whether a step of the graph has anything to learn, without a Train node by the loss that stands in. Errors: those of
/// plan_training.
Result<bool> anything_learns(const Graph& graph, Assets& assets, const GivenValues& given = {});

}  // namespace hw
