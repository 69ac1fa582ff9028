// StepStages: the runs of a training step, in order: which program of the plan, with which inputs.
#pragma once

#include <atomic>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/plan/training_plan.h"

namespace hw {

/// A step of a run, as one rank sees it.
struct StepOfRun {
  uint64_t step = 0;                          // 0-based: updates before it
  uint64_t steps = 0;                         // where the run ends: schedules depend on it
  uint64_t rank = 0;                          // of the plan's
  const std::atomic<bool>* cancel = nullptr;  // see StepInputs
};

/// A program that runs once for each of `runs` before the next stage begins. Several ranks add up between two stages
/// what each has added up over its own runs.
struct StepStage {
  enum class Kind : uint8_t { part_sums, gradients, updates };
  Kind kind = Kind::gradients;
  size_t program = 0;            // its place in TrainingPlan::programs()
  size_t part_sums = 0;          // its place in TrainingPlan::part_sums; 0: of another kind
  std::vector<StepInputs> runs;  // one a micro-batch of the rank; of updates one, as its last micro-batch has them
};

/// The stages of a step: the plan's part_sums, one after the other; gradients, always; updates, where the plan has
/// them, which take over TrainingPlan::handed first. Every part of a step has a number of its own, by which it draws:
/// rank by rank, the micro-batches of a rank in order; those of the next step follow. In every stage the first
/// micro-batch of a rank starts the sums.
std::vector<StepStage> stages_of(const TrainingPlan& plan, const StepOfRun& at);

/// The micro-batch of its rank that a run is of.
inline uint64_t micro_batch_of(const StepInputs& run, uint64_t micro_batches) {
  return run.step % micro_batches;
}

/// The runs of all stages.
size_t count_runs(const std::vector<StepStage>& stages);

}  // namespace hw
