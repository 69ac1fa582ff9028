// A training step of a plan on a device: gradients, then updates where the plan has them apart.
#pragma once

#include "engine/backend/backend.h"
#include "engine/plan/training_plan.h"

namespace hw::bench {

struct PlannedStep {
  std::shared_ptr<States> states;
  std::unique_ptr<Executable> gradients, updates;  // updates: null where the plan has none

  /// From initial states; `keep`: of the gradients' program.
  static Result<PlannedStep> make(Device& device, const TrainingPlan& plan, std::span<const ValueId> keep = {}) {
    PlannedStep step;
    for (const auto& program : plan.programs()) {
      HW_TRY(step.states, device.prepare_states(*program, step.states, plan.settings.seed, nullptr));
    }
    HW_TRY(step.gradients, device.compile(plan.program, step.states, keep));
    if (!plan.updates) return step;
    std::vector<SharedInput> shared;
    for (const auto& [name, value] : plan.handed) shared.push_back({name, step.gradients.get(), value, keep.empty()});
    HW_TRY(step.updates, device.compile(plan.updates, step.states, {}, shared));
    return step;
  }

  Status run(const StepInputs& inputs) {
    HW_CHECK(gradients->run(inputs));
    return updates ? updates->run(inputs) : ok();
  }
  void reset_timings() {
    gradients->reset_timings();
    if (updates) updates->reset_timings();
  }
  size_t temp_bytes() const { return gradients->temp_bytes() + (updates ? updates->temp_bytes() : 0); }
};

}  // namespace hw::bench
