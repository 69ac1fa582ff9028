#include "engine/precision/precision_trial.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "engine/devices/devices.h"
#include "engine/devices/temp_estimate.h"
#include "engine/evaluate/compile_evaluation.h"
#include "engine/graph/lower/fit_inputs.h"
#include "engine/graph/node_draws.h"
#include "engine/graph/precision/choose_precision.h"
#include "engine/kernels/loss_scale_state.h"

namespace hw {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Whether an output depends on a parameter. `seen`: nodes without, so far.
bool has_parameters_behind(const Graph& graph, const std::string& node, std::set<std::string>& seen) {
  const Node* found = graph.find(node);
  if (!found || !seen.insert(node).second) return false;
  const NodeType* type = Registry::instance().find(found->type);
  if (type && !type->decl.weights().empty()) return true;
  const std::vector<Link> links = graph.links_into(node);
  return std::any_of(links.begin(), links.end(),
                     [&](const Link& link) { return has_parameters_behind(graph, link.from, seen); });
}

/// What goes into the node that makes the loss, where parameters lie behind it.
std::vector<SocketRef> outputs_of(const Graph& graph, const SocketRef& loss) {
  std::vector<SocketRef> outputs;
  for (const Link& link : graph.links_into(loss.node)) {
    std::set<std::string> seen;
    if (has_parameters_behind(graph, link.from, seen)) outputs.push_back({link.from, link.from_socket});
  }
  return outputs.empty() ? std::vector<SocketRef>{loss} : outputs;
}

struct HeldOutLoss {
  LoweredGraph lowered;
  SocketRef loss;
  std::vector<SocketRef> outputs;
};

/// The cone of the loss in evaluation mode; `wide`: see widen_loss.
Result<HeldOutLoss> lower_evaluation(Graph graph, Assets& assets, bool wide, const GivenValues& given = {}) {
  HW_TRY(const std::string trainer, find_trainer(graph));
  if (wide) HW_CHECK(apply_edits(graph, widen_loss(graph, trainer).edits));
  clear_fixed_draws(graph);
  const auto links = graph.links_into(trainer);
  if (links.empty()) return Error{codes::missing_input, trainer + ".loss", "no loss is wired.", "Wire a loss into it."};
  HeldOutLoss e;
  e.loss = {links.front().from, links.front().from_socket};
  e.outputs = outputs_of(graph, e.loss);
  LowerOptions options;
  options.pure = train_settings(*graph.find(trainer)).pure;
  options.pins = true;
  options.bindings = in_wire_dtypes(graph, given);
  HW_TRY(e.lowered, lower(graph, std::span(&e.loss, 1), options, assets));
  return e;
}

ValueId value_of(const HeldOutLoss& e, const SocketRef& socket) {
  return std::get<Val>(e.lowered.sockets.at(socket)).id;
}

size_t running_bytes(const Program& program, size_t temporaries, size_t data) {
  size_t bytes = temporaries + data;
  for (const Param& param : program.params) bytes += bytes_of(program[param.view]);
  return bytes;
}

}  // namespace

Result<PrecisionBytes> precision_bytes(const Graph& graph, Assets& assets, const std::string& device) {
  PrecisionBytes bytes;
  HW_TRY(bytes.training, estimate_memory(graph, assets, device));
  bytes.training.activations -= std::exchange(bytes.training.tiles, 0);  // the same plan at any number of threads
  HW_TRY(const HeldOutLoss e, lower_evaluation(graph, assets, false));
  HW_TRY(const TempBytes temporaries, estimate_temp_bytes(device, *e.lowered.program));
  bytes.running = running_bytes(*e.lowered.program, temporaries.values, bytes.training.data);
  return bytes;
}

double mean_of_last(std::span<const double> losses) {
  constexpr size_t kAveraged = 20;
  const size_t n = std::min(kAveraged, losses.size());
  const auto last = losses.last(n);
  return std::accumulate(last.begin(), last.end(), 0.0) / static_cast<double>(n);
}

double output_error(const std::vector<Tensor>& outputs, const std::vector<Tensor>& reference) {
  double off = 0, size = 0;
  for (size_t k = 0; k < reference.size(); ++k) {
    const std::vector<double> a = outputs[k].to_f64(), b = reference[k].to_f64();
    for (size_t i = 0; i < b.size(); ++i) {
      off += (a[i] - b[i]) * (a[i] - b[i]);
      size += b[i] * b[i];
    }
  }
  if (!std::isfinite(off) || !std::isfinite(size)) return std::numeric_limits<double>::infinity();
  return off == 0 ? 0 : size == 0 ? std::numeric_limits<double>::infinity() : std::sqrt(off / size);
}

Result<std::unique_ptr<PrecisionTrial>> PrecisionTrial::make(const Graph& graph, const std::string& device,
                                                             Assets& assets, const TrialStart& start,
                                                             const GivenValues& given) {
  std::unique_ptr<PrecisionTrial> trial(new PrecisionTrial);
  HW_TRY(std::shared_ptr<Device> made, make_device(device));
  std::vector<std::string> notes;
  trial->progress_.step = start.step;
  HW_TRY(trial->run_, TrainingRun::make(graph, std::move(made), assets, trial->progress_, nullptr, "", true, notes,
                                        one_rank(), in_wire_dtypes(graph, given)));
  HW_TRY(trial->bytes_, precision_bytes(graph, assets, device));
  HW_CHECK(trial->prepare_held_out(graph, assets, given));
  HW_CHECK(trial->take_states(start.states));
  HW_CHECK(trial->count_moments(start));
  return trial;
}

Status PrecisionTrial::count_moments(const TrialStart& start) {
  const TrainingPlan& plan = run_->plan();
  uint64_t updates = start.step;
  if (const std::string scale = plan.trainer + kLossScale; run_->states()->has(scale) && start.states.contains(scale))
    updates = static_cast<uint64_t>(run_->states()->read(scale).to_f64()[loss_scale_state::kUpdates]);
  std::map<std::string, uint64_t> begun = plan.begun;  // where it makes all moments itself
  for (auto& [moment, at] : begun) {
    const auto known = start.begun.find(moment);
    if (start.states.contains(moment)) at = known == start.begun.end() ? 0 : known->second;
    at = std::min(at, updates);
  }
  return run_->count_moments_from(std::move(begun));
}

Status PrecisionTrial::prepare_held_out(const Graph& graph, Assets& assets, const GivenValues& given) {
  HW_TRY(const HeldOutLoss e, lower_evaluation(graph, assets, true, given));
  loss_ = value_of(e, e.loss);
  std::vector<ValueId> keep{loss_};
  e.lowered.program->outputs.push_back({"loss", loss_});
  for (const SocketRef& output : e.outputs) {
    outputs_.push_back(value_of(e, output));
    keep.push_back(outputs_.back());
  }
  HW_TRY(CompiledEvaluation compiled, compile_evaluation(e.lowered.program, *run_->device(), {run_->states()}, keep));
  evaluation_ = std::move(compiled.executable);
  for (const auto& [socket, value] : given) {
    const std::string name = socket.node + "." + socket.socket;
    const auto& inputs = e.lowered.program->inputs;
    const auto input = std::ranges::find(inputs, name, &Port::name);
    if (input != inputs.end())
      HW_CHECK(evaluation_->write_input(name, value.to((*e.lowered.program)[input->value].dtype)));
  }
  return ok();
}

Status PrecisionTrial::take_states(const std::map<std::string, Tensor>& states) {
  if (states.empty()) return ok();
  const Program& program = *run_->plan().program;
  // What else has the values of a state, the best first. A wide master counts more than the rounded view.
  std::map<std::string, std::vector<std::string>> others;
  for (const Param& param : program.params) {
    const std::string master = param.name + ".master", view = program[param.view].name;
    others[view] = {master, view};
    if (param.master != param.view) others[program[param.master].name] = {program[param.master].name, param.name};
    others[param.name + kAverage] = {param.name + kAverage, master, param.name};
  }
  for (const auto& [name, value] : states_of(run_->plan())) {
    const auto known = others.find(name);
    for (const std::string& from : known == others.end() ? std::vector{name} : known->second) {
      const auto given = states.find(from);
      if (given == states.end()) continue;
      if (given->second.dims() == value->dims) HW_CHECK(run_->states()->write(name, given->second.to(value->dtype)));
      break;
    }
  }
  return ok();
}

Status PrecisionTrial::step(uint64_t step, uint64_t steps, const std::atomic<bool>* cancel) {
  const Clock::time_point begin = Clock::now();
  const auto loss = run_->step(step, steps, cancel);
  last_ms_ = ms_since(begin);
  if (loss) {
    last_loss_ = *loss;
    return ok();
  }
  if (loss.error().code != codes::not_finite) return loss.error();
  failed_ = loss.error();
  return ok();
}

Result<HeldOutResult> PrecisionTrial::held_out(const HeldOut& on, const std::atomic<bool>* cancel) {
  HeldOutResult result;
  result.ms = std::numeric_limits<double>::infinity();
  const Status measured = run_->with_weights(nullptr, [&]() -> Status {
    for (int batch = 0; batch < on.batches; ++batch) {
      StepInputs inputs;
      inputs.seed = on.seed;
      inputs.step = on.first + static_cast<uint64_t>(batch);
      inputs.cancel = cancel;
      const Clock::time_point begin = Clock::now();
      HW_CHECK(evaluation_->run(inputs));
      result.ms = std::min(result.ms, ms_since(begin));
      HW_TRY(const Tensor loss, evaluation_->read(loss_));
      result.loss += loss.to_f64().front() / on.batches;
      for (const ValueId output : outputs_) {
        HW_TRY(Tensor value, evaluation_->read(output));
        result.outputs.push_back(std::move(value));
      }
    }
    return ok();
  });
  if (!measured) return measured.error();
  return result;
}

}  // namespace hw
