#include "engine/train/lasting_states.h"

#include <set>

#include "engine/core/codes.h"
#include "engine/core/magnitudes.h"
#include "engine/kernels/loss_scale_state.h"
#include "engine/train/initialise_update_counts.h"

namespace hw {
namespace {

/// An optimiser's state in an older checkpoint: moments and averages were as narrow as the parameter once.
bool widens(const std::string& name, DType from, DType to) {
  return name.find('#') != name.npos && to == DType::f32 && info(from).is_float && size_of(from) < size_of(to);
}

}  // namespace

std::map<std::string, const Value*> lasting_states(const TrainingPlan& plan) {
  std::map<std::string, const Value*> all = states_of(plan);
  std::erase_if(all, [](const auto& s) {
    return s.first.ends_with(kSum) || s.first.ends_with(kTouchedSum) || s.first.ends_with(kNotFinite) ||
           s.first.ends_with(kPartSum);
  });
  return all;
}

std::map<std::string, Tensor> read_lasting_states(const TrainingPlan& plan, const States& states) {
  std::map<std::string, Tensor> all;
  for (const auto& [name, value] : lasting_states(plan)) all.emplace(name, states.read(name));
  return all;
}

Status check_statistics(const TrainingPlan& plan, const States& states) {
  std::set<std::string> judged(plan.updated.begin(), plan.updated.end());
  for (const Param& param : plan.program->params)
    if (judged.contains(param.name)) judged.insert((*plan.program)[param.master].name);
  std::set<std::string> written;  // others are as they were given: a mask of −Inf
  for (const auto& program : plan.programs())
    for (const Instr& instr : program->instrs)
      for (const ValueId id : instr.out.empty() ? instr.in : instr.out)
        if ((*program)[id].storage == Storage::state) written.insert((*program)[id].name);
  for (const auto& [name, value] : lasting_states(plan)) {
    if (judged.contains(name.substr(0, name.find('#'))) || !written.contains(name)) continue;
    const Magnitudes m = magnitudes_of(states.read(name));
    if (m.finite()) continue;
    return Error{codes::not_finite, name,
                 std::to_string(m.infs + m.nans) + " of its " + std::to_string(element_count(value->dims)) +
                     " elements became Inf or NaN.",
                 "Keep the inputs of its node in range, or widen their dtype; then reset."};
  }
  return ok();
}

Status restore_states(const TrainingPlan& plan, States& states, const Checkpoint& checkpoint,
                      std::vector<std::string>* notes) {
  const auto misfit = [](const std::string& where, const std::string& reason) {
    return Error{codes::weights_mismatch, where, reason, "Resume with the graph and the settings that were trained."};
  };
  if (checkpoint.seed != plan.settings.seed) {
    return Error{codes::weights_mismatch, plan.trainer + ".seed",
                 "the checkpoint was made with seed " + std::to_string(checkpoint.seed) + ", the graph has " +
                     std::to_string(plan.settings.seed) + ".",
                 "Set the Train node's seed to " + std::to_string(checkpoint.seed) + "."};
  }
  const auto needed = lasting_states(plan);
  std::vector<std::string> uncounted;  // parameters
  for (const auto& [name, value] : needed) {
    const auto given = checkpoint.states.find(name);
    if (given == checkpoint.states.end() && name.ends_with(kUpdates)) {
      uncounted.push_back(name.substr(0, name.size() - std::string_view(kUpdates).size()));
      continue;
    }
    if (given == checkpoint.states.end()) return misfit(name, "the checkpoint has no such state.");
    const Tensor& tensor = given->second;
    if (tensor.dims() == value->dims && (tensor.dtype() == value->dtype || widens(name, tensor.dtype(), value->dtype)))
      continue;
    return misfit(name, "the checkpoint has " + std::string(hw::name(tensor.dtype())) + " " + to_string(tensor.dims()) +
                            ", the graph needs " + std::string(hw::name(value->dtype)) + " " + to_string(value->dims) +
                            ".");
  }
  for (const auto& [name, tensor] : checkpoint.states) {
    if (!needed.contains(name)) return misfit(name, "the graph has no such state.");
  }
  for (const auto& [name, tensor] : checkpoint.states) HW_CHECK(states.write(name, tensor.to(needed.at(name)->dtype)));
  const auto scale = checkpoint.states.find(plan.trainer + kLossScale);
  const bool scaled = scale != checkpoint.states.end();
  const auto updates =
      scaled ? static_cast<uint64_t>(scale->second.to_f64()[loss_scale_state::kUpdates]) : checkpoint.step;
  for (const std::string& param : uncounted) HW_CHECK(initialise_update_counts(states, param, updates, notes));
  return ok();
}

}  // namespace hw
