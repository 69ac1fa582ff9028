#include "engine/plan/initialise_states.h"

#include "engine/plan/write_weights.h"

namespace hw {

Status initialise_states(const TrainingPlan& plan, States& states, const Weights* weights, bool partial) {
  const Program& program = *plan.program;
  if (weights) HW_CHECK(give_weights(program, states, *weights, partial ? Lacking::initial : Lacking::refused));
  const auto all = states_of(plan);
  for (const Param& param : program.params)
    if (const auto average = all.find(param.name + kAverage); average != all.end() && states.has(average->first))
      HW_CHECK(states.write(average->first, states.read(program[param.master].name).to(average->second->dtype)));
  if (plan.scaled.empty()) return ok();
  const std::string name = plan.trainer + kLossScale;
  std::vector<double> scale(states.read(name).to_f64().size(), 0.0);
  scale[0] = plan.settings.loss_scale;
  return states.write(name, Tensor::from_f64(DType::f64, {static_cast<int64_t>(scale.size())}, scale));
}

}  // namespace hw
