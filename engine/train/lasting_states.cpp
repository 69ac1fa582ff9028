#include "engine/train/lasting_states.h"

#include <algorithm>
#include <set>

#include "engine/core/codes.h"
#include "engine/core/magnitudes.h"
#include "engine/kernels/loss_scale_state.h"
#include "engine/train/initialise_update_counts.h"

namespace hw {
namespace {

/// An optimiser's state in an older checkpoint: moments and averages were as narrow as the parameter once.
bool widens(const std::string& name, DType from, DType to) {
  return name.find('#') != name.npos && to == DType::f32 && info(from).is_float && info(from).bits < info(to).bits;
}

std::string parameter_of(const std::string& state) {
  return state.substr(0, state.rfind('#'));
}

std::string suffix_of(const std::string& state) {
  return state.substr(state.rfind('#') + 1);
}

/// Whether an optimiser, of this or another name, keeps it.
bool is_moment(const std::string& state) {
  return std::ranges::any_of(kUpdateRows, [&](const UpdateRow& row) {
    return std::ranges::any_of(row.states, [&](auto ending) { return !ending.empty() && state.ends_with(ending); });
  });
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

Result<std::map<std::string, uint64_t>> restore_states(const TrainingPlan& plan, States& states,
                                                       const Checkpoint& checkpoint, std::vector<std::string>* notes) {
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
  std::vector<std::string> uncounted;         // parameters
  std::map<std::string, const Value*> lacks;  // moments
  for (const auto& [name, value] : needed) {
    const auto given = checkpoint.states.find(name);
    if (given == checkpoint.states.end() && name.ends_with(kUpdates)) {
      uncounted.push_back(name.substr(0, name.size() - std::string_view(kUpdates).size()));
      continue;
    }
    if (given == checkpoint.states.end() && is_moment(name)) {
      lacks.emplace(name, value);
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
    if (!needed.contains(name) && !is_moment(name) && !name.ends_with(kUpdates))
      return misfit(name, "the graph has no such state.");
  }
  size_t left_out = 0;
  for (const auto& [name, tensor] : checkpoint.states) {
    const auto state = needed.find(name);
    if (state != needed.end())
      HW_CHECK(states.write(name, tensor.to(state->second->dtype)));
    else
      ++left_out;
  }
  const auto scale = checkpoint.states.find(plan.trainer + kLossScale);
  const bool scaled = scale != checkpoint.states.end();
  const auto updates =
      scaled ? static_cast<uint64_t>(scale->second.to_f64()[loss_scale_state::kUpdates]) : checkpoint.step;
  std::map<std::string, uint64_t> begun = checkpoint.begun;
  for (const auto& [lacking, value] : lacks) {
    const std::string param = parameter_of(lacking);
    for (const std::string_view ending : update_row(plan.settings.optimiser.update).states) {  // all begin together
      const auto moment = ending.empty() ? needed.end() : needed.find(param + std::string(ending));
      if (moment == needed.end()) continue;
      HW_CHECK(states.write(moment->first, Tensor::zeros(moment->second->dtype, moment->second->dims)));
    }
    if (const auto counts = needed.find(param + kUpdates); counts != needed.end())
      HW_CHECK(states.write(counts->first, Tensor::zeros(counts->second->dtype, counts->second->dims)));
    begun[param + std::string(update_row(plan.settings.optimiser.update).states[0])] = updates;
    std::erase(uncounted, param);
  }
  for (const std::string& param : uncounted) {
    const auto from = begun.find(param + kFirstMoment);
    const uint64_t before = from == begun.end() ? 0 : std::min(updates, from->second);
    HW_CHECK(initialise_update_counts(states, param, updates - before, notes));
  }
  if (notes && !lacks.empty())
    notes->push_back(
        "The checkpoint has no " + suffix_of(lacks.begin()->first) + " of " + parameter_of(lacks.begin()->first) +
        (lacks.size() > 1 ? " and no such state of others" : std::string()) + ": the optimiser begins anew there.");
  if (notes && left_out > 0)
    notes->push_back("States of another optimiser in the checkpoint are left out: " + std::to_string(left_out) + ".");
  return begun;
}

}  // namespace hw
