#include "engine/train/training_run.h"

#include <algorithm>
#include <set>

#include "engine/core/magnitudes.h"
#include "engine/kernels/loss_scale_state.h"
#include "engine/plan/memory_estimate.h"
#include "engine/train/initialise_update_counts.h"

namespace hw {
namespace {

void add_all(const Program& program, std::vector<ValueId>& keep) {
  for (const Instr& instr : program.instrs) keep.insert(keep.end(), instr.out.begin(), instr.out.end());
}

/// An optimiser's state in an older checkpoint: moments and averages were as narrow as the parameter once.
bool widens(const std::string& name, DType from, DType to) {
  return name.find('#') != name.npos && to == DType::f32 && info(from).is_float && size_of(from) < size_of(to);
}

}  // namespace

Status TrainingRun::compile() {
  std::vector<ValueId> keep;
  const auto add = [&](ValueId value) {
    keep.push_back(value);
    if (const auto gradient = plan_.gradients.find(value); gradient != plan_.gradients.end())
      keep.push_back(gradient->second);
  };
  for (const auto& [socket, arg] : plan_.sockets) {
    if (socket.node != inspected_) continue;
    if (const Val* value = std::get_if<Val>(&arg); value && *value) add(value->id);
  }
  for (const Param& param : plan_.program->params) {
    if (param_of_inspected(param)) add(param.view);
  }
  if (watch_) add_all(*plan_.program, keep);
  if (executable_) HW_CHECK(settle());
  updates_.reset();
  executable_.reset();
  HW_TRY(executable_, device_->compile(plan_.program, states_, keep));
  for (const auto& [socket, value] : given_)
    if (plan_.sockets.contains(socket)) HW_CHECK(executable_->write_input(socket.node + "." + socket.socket, value));
  part_sums_.clear();
  for (const PartSums& sums : plan_.part_sums) {
    HW_TRY(std::unique_ptr<Executable> made, device_->compile(sums.program, states_, {}));
    for (const auto& [name, value] : sums.program->inputs)
      for (const auto& [socket, given] : given_)
        if (name == socket.node + "." + socket.socket) HW_CHECK(made->write_input(name, given));
    part_sums_.push_back(std::move(made));
  }
  if (plan_.updates) {
    std::vector<SharedInput> gradients;
    for (const auto& [name, value] : plan_.handed) {
      const bool shown = std::find(keep.begin(), keep.end(), value) != keep.end();
      gradients.push_back({name, executable_.get(), value, !shown});
    }
    std::vector<ValueId> keep_updates = plan_.not_finite;
    if (watch_) add_all(*plan_.updates, keep_updates);
    HW_TRY(updates_, device_->compile(plan_.updates, states_, keep_updates, gradients));
  }
  timed_steps_ = 0;
  return ok();
}

bool TrainingRun::param_of_inspected(const Param& param) const {
  const auto tie = plan_.ties.find(inspected_);
  const std::string& owner = tie == plan_.ties.end() ? inspected_ : tie->second;
  return !owner.empty() && param.name.starts_with(owner + ".");
}

Status TrainingRun::inspect(const std::string& node) {
  if (node == inspected_) return ok();
  inspected_ = node;
  prepared_ = {};
  return compile();
}

void TrainingRun::prepare_inspection(uint64_t step) {
  prepared_ = {};
  prepared_.step = step;
  const auto keep = [&](ValueId id) {
    const Value& value = (*plan_.program)[id];
    if (value.storage == Storage::state && !prepared_.states.contains(value.name))
      prepared_.states.emplace(value.name, states_->read(value.name));
  };
  // A wire may be a state itself: what a Parameter node puts out.
  for (const auto& [socket, arg] : plan_.sockets)
    if (const Val* value = std::get_if<Val>(&arg); socket.node == inspected_ && value && *value) keep(value->id);
  for (const Param& param : plan_.program->params)
    if (param_of_inspected(param)) keep(param.view);
}

Status TrainingRun::set_watch(std::shared_ptr<TrainingWatch> watch) {
  if (watch_ == watch) return ok();
  if (watch) HW_CHECK(check_all_values(plan_.programs(), *device_, states_.get()));
  watch_ = std::move(watch);
  return compile();
}

void TrainingRun::set_instruments(const std::optional<InstrumentSettings>& settings, const GradientHistory* earlier) {
  instruments_.reset();
  if (settings) instruments_.emplace(plan_, *settings, earlier);
}

std::shared_ptr<const InstrumentReadings> TrainingRun::readings() {
  return instruments_ ? instruments_->readings() : nullptr;
}

Result<std::shared_ptr<const NodeInspection>> TrainingRun::read_inspection(uint64_t step) const {
  auto result = std::make_shared<NodeInspection>();
  result->node = inspected_;
  result->step = step;
  const auto add = [&](const std::string& name, bool is_param, ValueId value) -> Status {
    NodeInspection::Item item;
    item.name = name;
    item.is_param = is_param;
    const Value& shown = (*plan_.program)[value];
    if (shown.storage == Storage::state && writes_parameters_) {
      item.value = prepared_.states.at(shown.name);
    } else {
      HW_TRY(item.value, executable_->read(value));
    }
    if (const auto gradient = plan_.gradients.find(value); gradient != plan_.gradients.end()) {
      HW_TRY(item.gradient, executable_->read(gradient->second));
    } else if (!info(shown.dtype).is_float) {
      item.no_gradient_because = "Whole numbers carry no gradient.";
    } else {
      item.no_gradient_because = "No trainable parameter lies before it, so no gradient is computed here.";
    }
    if (const auto unscale = plan_.unscale.find(value); unscale != plan_.unscale.end()) {
      item.gradient_scale = scale_ / unscale->second;
    }
    result->items.push_back(std::move(item));
    return ok();
  };
  const bool misses = writes_parameters_ && prepared_.step != step;
  if (inspected_.empty() || misses) return std::shared_ptr<const NodeInspection>();
  for (const auto& [socket, arg] : plan_.sockets) {
    const Val* value = std::get_if<Val>(&arg);
    if (socket.node == inspected_ && value && *value) HW_CHECK(add(socket.socket, false, value->id));
  }
  for (const Param& param : plan_.program->params) {
    if (param_of_inspected(param)) HW_CHECK(add(param.name.substr(param.name.find('.') + 1), true, param.view));
  }
  if (result->items.empty()) return std::shared_ptr<const NodeInspection>();
  const auto kernels = node_kernels();
  if (const auto kernel = kernels.find(inspected_); kernel != kernels.end()) result->kernels = kernel->second;
  return std::shared_ptr<const NodeInspection>(std::move(result));
}

std::shared_ptr<const Weights> TrainingRun::read_weights() const {
  auto weights = std::make_shared<Weights>();
  const auto states = lasting_states();
  for (const Param& param : plan_.program->params) {
    const Value& view = (*plan_.program)[param.view];
    const std::string average = param.name + kAverage;
    const bool averaged = averages() && states.contains(average);
    weights->emplace(param.name, averaged ? states_->read(average).to(view.dtype) : states_->read(view.name));
  }
  return weights;
}

Status TrainingRun::with_weights(const Weights* weights, const std::function<Status()>& work) {
  if (!weights && !averages()) return work();
  const auto write = [this](const Weights& values) -> Status {
    for (const Param& param : plan_.program->params)
      HW_CHECK(states_->write((*plan_.program)[param.view].name, values.at(param.name)));
    return ok();
  };
  Weights own;
  for (const Param& param : plan_.program->params)
    own.emplace(param.name, states_->read((*plan_.program)[param.view].name));
  const std::shared_ptr<const Weights> of_now = weights ? nullptr : read_weights();
  struct PutBack {
    const std::function<Status()>& act;
    ~PutBack() { (void)act(); }
  };
  const std::function<Status()> put_back = [&] { return write(own); };
  const PutBack at_the_end{put_back};
  HW_CHECK(write(weights ? *weights : *of_now));
  return work();
}

std::map<std::string, const Value*> TrainingRun::lasting_states() const {
  std::map<std::string, const Value*> all = states_of(plan_);
  std::erase_if(all, [](const auto& s) {
    return s.first.ends_with(kSum) || s.first.ends_with(kTouchedSum) || s.first.ends_with(kNotFinite) ||
           s.first.ends_with(kPartSum);
  });
  return all;
}

std::map<std::string, Tensor> TrainingRun::read_states() const {
  std::map<std::string, Tensor> all;
  for (const auto& [name, value] : lasting_states()) all.emplace(name, states_->read(name));
  return all;
}

Status TrainingRun::check_statistics() const {
  std::set<std::string> judged(plan_.updated.begin(), plan_.updated.end());
  for (const Param& param : plan_.program->params)
    if (judged.contains(param.name)) judged.insert((*plan_.program)[param.master].name);
  std::set<std::string> written;  // others are as they were given: a mask of −Inf
  for (const auto& program : plan_.programs())
    for (const Instr& instr : program->instrs)
      for (const ValueId id : instr.out.empty() ? instr.in : instr.out)
        if ((*program)[id].storage == Storage::state) written.insert((*program)[id].name);
  for (const auto& [name, value] : lasting_states()) {
    if (judged.contains(name.substr(0, name.find('#'))) || !written.contains(name)) continue;
    const Magnitudes m = magnitudes_of(states_->read(name));
    if (m.finite()) continue;
    return Error{codes::not_finite, name,
                 std::to_string(m.infs + m.nans) + " of its " + std::to_string(element_count(value->dims)) +
                     " elements became Inf or NaN.",
                 "Keep the inputs of its node in range, or widen their dtype; then reset."};
  }
  return ok();
}

Status TrainingRun::restore(const Checkpoint& checkpoint, std::vector<std::string>* notes) {
  const auto misfit = [](const std::string& where, const std::string& reason) {
    return Error{codes::weights_mismatch, where, reason, "Resume with the graph and the settings that were trained."};
  };
  if (checkpoint.seed != plan_.settings.seed) {
    return Error{codes::weights_mismatch, plan_.trainer + ".seed",
                 "the checkpoint was made with seed " + std::to_string(checkpoint.seed) + ", the graph has " +
                     std::to_string(plan_.settings.seed) + ".",
                 "Set the Train node's seed to " + std::to_string(checkpoint.seed) + "."};
  }
  const auto states = lasting_states();
  std::vector<std::string> uncounted;  // parameters
  for (const auto& [name, value] : states) {
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
    if (!states.contains(name)) return misfit(name, "the graph has no such state.");
  }
  in_step_ = false;
  for (const auto& [name, tensor] : checkpoint.states)
    HW_CHECK(states_->write(name, tensor.to(states.at(name)->dtype)));
  const auto scale = checkpoint.states.find(plan_.trainer + kLossScale);
  const bool scaled = scale != checkpoint.states.end();
  const auto updates =
      scaled ? static_cast<uint64_t>(scale->second.to_f64()[loss_scale_state::kUpdates]) : checkpoint.step;
  for (const std::string& param : uncounted) HW_CHECK(initialise_update_counts(*states_, param, updates, notes));
  return ok();
}

std::map<std::string, double> TrainingRun::node_ms() const {
  std::map<std::string, double> ms;
  if (timed_steps_ == 0) return ms;
  const auto add = [&](const Program& program, const std::vector<double>& timings) {
    for (size_t i = 0; i < timings.size(); ++i)
      ms[program.nodes[program.instrs[i].node]] += timings[i] * 1e3 / static_cast<double>(timed_steps_);
  };
  add(*plan_.program, executable_->timings());
  if (updates_) add(*plan_.updates, updates_->timings());
  ms.erase("");
  return ms;
}

std::vector<TransferReading> TrainingRun::transfers() const {
  std::vector<TransferReading> all;
  if (timed_steps_ == 0) return all;
  const auto add = [&](const Program& program, const Executable& executable) {
    const std::vector<Transfer> transfers = executable.transfers();
    std::map<ValueId, std::string> makers;
    for (const Transfer& t : transfers) makers[t.value];
    for (const Instr& instr : program.instrs)
      for (const ValueId v : instr.out)
        if (const auto made = makers.find(v); made != makers.end()) made->second = program.nodes[instr.node];
    for (const Transfer& t : transfers) {
      const double a_step = 1 / static_cast<double>(timed_steps_);
      const double bytes = static_cast<double>(t.bytes) * static_cast<double>(t.times);
      all.push_back({program[t.value].name, makers[t.value], t.from, t.to, bytes * a_step, t.seconds * 1e3 * a_step});
    }
  };
  add(*plan_.program, *executable_);
  if (updates_) add(*plan_.updates, *updates_);
  std::stable_sort(all.begin(), all.end(),
                   [](const TransferReading& a, const TransferReading& b) { return a.bytes > b.bytes; });
  return all;
}

std::map<std::string, NodeKernels> TrainingRun::node_kernels() const {
  return node_kernels_of(*plan_.program, *executable_, plan_.gradients);
}

size_t TrainingRun::memory_bytes() const {
  size_t bytes = executable_->temp_bytes() + (updates_ ? updates_->temp_bytes() : 0);
  for (const auto& [name, state] : states_of(plan_)) bytes += bytes_of(*state);
  return bytes;
}

size_t TrainingRun::states_bytes() const {
  size_t bytes = 0;
  for (const auto& [name, state] : lasting_states()) bytes += bytes_of(*state);
  return bytes;
}

}  // namespace hw
