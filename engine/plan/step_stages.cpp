#include "engine/plan/step_stages.h"

#include <cassert>

namespace hw {

std::vector<StepStage> stages_of(const TrainingPlan& plan, const StepOfRun& at) {
  assert(at.rank < plan.ranks);
  StepInputs inputs;
  inputs.seed = plan.settings.seed;
  inputs.update = at.step;
  inputs.learning_rate = learning_rate_at(plan.settings, at.step, at.steps);
  inputs.cancel = at.cancel;
  std::vector<StepInputs> batches;
  for (uint64_t batch = 0; batch < plan.micro_batches(); ++batch) {
    inputs.step = at.step * plan.parts() + at.rank * plan.micro_batches() + batch;
    inputs.starts_sums = batch == 0;
    batches.push_back(inputs);
  }
  const size_t first_sums = plan.updates ? 2 : 1;  // in TrainingPlan::programs()
  std::vector<StepStage> stages;
  for (size_t k = 0; k < plan.part_sums.size(); ++k)
    stages.push_back({StepStage::Kind::part_sums, first_sums + k, k, batches});
  stages.push_back({StepStage::Kind::gradients, 0, 0, std::move(batches)});
  if (plan.updates) stages.push_back({StepStage::Kind::updates, 1, 0, {inputs}});
  return stages;
}

size_t count_runs(const std::vector<StepStage>& stages) {
  size_t runs = 0;
  for (const StepStage& stage : stages) runs += stage.runs.size();
  return runs;
}

}  // namespace hw
