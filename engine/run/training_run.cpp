#include "engine/run/training_run.h"

#include <cmath>
#include <set>

namespace hw {

namespace {

/// Writes a loaded parameter into its view and its master.
Status write_param(const Program& program, const Param& param, States& states, const Tensor& value) {
  const Value& view = program[param.view];
  if (value.dims() != view.dims) {
    return Error{codes::weights_mismatch, param.name,
                 "the file has " + to_string(value.dims()) + ", the graph needs " + to_string(view.dims) + ".",
                 "Load weights that were trained with this graph."};
  }
  HW_CHECK(states.write(view.name, value.to(view.dtype)));
  if (param.master != param.view) {
    const Value& master = program[param.master];
    HW_CHECK(states.write(master.name, value.to(master.dtype)));
  }
  return ok();
}

}  // namespace

Result<std::unique_ptr<TrainingRun>> TrainingRun::make(const Graph& graph, std::shared_ptr<Device> device,
                                                       Assets& assets, TrainingProgress& progress,
                                                       const Weights* initial, const std::string& inspected,
                                                       bool update, std::vector<std::string>& notes) {
  std::unique_ptr<TrainingRun> run(new TrainingRun);
  HW_TRY(run->plan_, plan_training(graph, assets, update));
  run->device_ = std::move(device);
  const bool fresh = !progress.states;
  std::vector<std::string> made;
  HW_TRY(progress.states,
         run->device_->prepare_states(*run->plan_.program, progress.states, run->plan_.settings.seed, &made));
  run->states_ = progress.states;
  const std::set<std::string> made_set(made.begin(), made.end());
  for (const Param& param : run->plan_.program->params) {
    if (!made_set.contains((*run->plan_.program)[param.view].name)) continue;
    const auto loaded = initial ? initial->find(param.name) : Weights::const_iterator{};
    if (initial && loaded != initial->end()) {
      HW_CHECK(write_param(*run->plan_.program, param, *run->states_, loaded->second));
    } else if (!fresh) {
      notes.push_back(param.name + " starts anew: its shape or dtype changed.");
    }
  }
  run->inspected_ = inspected;
  HW_CHECK(run->compile());
  return run;
}

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
    if (!inspected_.empty() && param.name.starts_with(inspected_ + ".")) add(param.view);
  }
  executable_.reset();
  HW_TRY(executable_, device_->compile(plan_.program, states_, keep));
  timed_steps_ = 0;
  return ok();
}

Status TrainingRun::inspect(const std::string& node) {
  if (node == inspected_) return ok();
  inspected_ = node;
  return compile();
}

Result<double> TrainingRun::step(uint64_t step, uint64_t steps, const std::atomic<bool>* cancel) {
  StepInputs inputs;
  inputs.seed = plan_.settings.seed;
  inputs.step = step;
  inputs.learning_rate = learning_rate_at(plan_.settings, step, steps);
  inputs.cancel = cancel;
  HW_CHECK(executable_->run(inputs));
  ++timed_steps_;
  HW_TRY(const Tensor loss, executable_->read(plan_.loss));
  const double value = loss.to_f64().front();
  if (!std::isfinite(value)) {
    return Error{codes::not_finite, plan_.trainer,
                 "the loss became " + std::string(std::isnan(value) ? "NaN" : "infinite") + " at step " +
                     std::to_string(step + 1) + ".",
                 "Lower the learning rate, clip gradients, or widen the dtype of the nodes before it; then reset."};
  }
  return value;
}

Result<std::shared_ptr<const NodeInspection>> TrainingRun::read_inspection(uint64_t step) const {
  auto result = std::make_shared<NodeInspection>();
  result->node = inspected_;
  result->step = step;
  const auto add = [&](const std::string& name, bool is_param, ValueId value) -> Status {
    NodeInspection::Item item;
    item.name = name;
    item.is_param = is_param;
    HW_TRY(item.value, executable_->read(value));
    if (const auto gradient = plan_.gradients.find(value); gradient != plan_.gradients.end()) {
      HW_TRY(item.gradient, executable_->read(gradient->second));
    } else if (!info((*plan_.program)[value].dtype).is_float) {
      item.no_gradient_because = "Whole numbers carry no gradient.";
    } else {
      item.no_gradient_because = "No trainable parameter lies before it, so no gradient is computed here.";
    }
    if (const auto unscale = plan_.unscale.find(value); unscale != plan_.unscale.end()) {
      item.gradient_scale = 1 / unscale->second;
    }
    result->items.push_back(std::move(item));
    return ok();
  };
  if (inspected_.empty()) return std::shared_ptr<const NodeInspection>();
  for (const auto& [socket, arg] : plan_.sockets) {
    const Val* value = std::get_if<Val>(&arg);
    if (socket.node == inspected_ && value && *value) HW_CHECK(add(socket.socket, false, value->id));
  }
  for (const Param& param : plan_.program->params) {
    if (param.name.starts_with(inspected_ + "."))
      HW_CHECK(add(param.name.substr(inspected_.size() + 1), true, param.view));
  }
  if (result->items.empty()) return std::shared_ptr<const NodeInspection>();
  const auto kernels = node_kernels();
  if (const auto kernel = kernels.find(inspected_); kernel != kernels.end()) result->kernel = kernel->second;
  return std::shared_ptr<const NodeInspection>(std::move(result));
}

std::shared_ptr<const Weights> TrainingRun::read_weights() const {
  auto weights = std::make_shared<Weights>();
  for (const Param& param : plan_.program->params) {
    weights->emplace(param.name, states_->read((*plan_.program)[param.view].name));
  }
  return weights;
}

std::map<std::string, double> TrainingRun::node_ms() const {
  std::map<std::string, double> ms;
  if (timed_steps_ == 0) return ms;
  const auto& timings = executable_->timings();
  for (size_t i = 0; i < timings.size(); ++i) {
    ms[plan_.program->nodes[plan_.program->instrs[i].node]] += timings[i] * 1e3 / static_cast<double>(timed_steps_);
  }
  ms.erase("");
  return ms;
}

std::vector<std::optional<size_t>> TrainingRun::slowest_forward() const {
  const auto& timings = executable_->timings();
  std::vector<std::optional<size_t>> slowest(plan_.program->nodes.size());
  for (size_t i = 0; i < plan_.program->instrs.size(); ++i) {
    const Instr& instr = plan_.program->instrs[i];
    if (instr.backward || instr.update) continue;
    std::optional<size_t>& of_node = slowest[instr.node];
    if (!of_node || timings[i] > timings[*of_node]) of_node = i;
  }
  return slowest;
}

std::map<std::string, KernelInfo> TrainingRun::node_kernels() const {
  std::map<std::string, KernelInfo> kernels;
  const auto slowest = slowest_forward();
  for (size_t node = 0; node < slowest.size(); ++node) {
    if (slowest[node]) kernels[plan_.program->nodes[node]] = executable_->kernel_info(*slowest[node]);
  }
  return kernels;
}

size_t TrainingRun::memory_bytes() const {
  size_t bytes = executable_->temp_bytes();
  for (const Value& value : plan_.program->values) {
    if (value.storage == Storage::state) bytes += static_cast<size_t>(element_count(value.dims)) * size_of(value.dtype);
  }
  return bytes;
}

}  // namespace hw
