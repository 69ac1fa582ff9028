#include "engine/evaluate/evaluation.h"

#include <algorithm>
#include <cassert>

#include "engine/devices/devices.h"

namespace hw {

void clear_missing_devices(Program& program) {
  for (std::string& pinned : program.devices)
    if (!pinned.empty() && !has_device(pinned)) pinned.clear();
}

Result<Evaluation> Evaluation::make(const Graph& graph, std::span<const SocketRef> wires, Assets& assets,
                                    std::shared_ptr<Device> device, const EvaluationOptions& options) {
  LowerOptions lowering;
  lowering.training = options.mode == ForwardMode::training;
  lowering.pins = options.pinned != PinnedNodes::ignored;
  lowering.domains = options.domains;
  lowering.bindings = options.given;
  HW_TRY(LoweredGraph lowered, lower(graph, wires, lowering, assets));
  // Running statistics stay as they are.
  std::erase_if(lowered.program->instrs, [](const Instr& instr) { return written_inputs(instr.op) > 0; });
  if (options.pinned == PinnedNodes::where_present) clear_missing_devices(*lowered.program);
  Evaluation made;
  HW_TRY(made.evaluated_, evaluated_program(lowered, wires, device->id(), options.passes_off));
  for (const auto& [output, value] : lowered.sockets) made.cone_.insert(output);
  made.device_ = std::move(device);
  made.given_ = options.given;
  return made;
}

void Evaluation::continue_from(Evaluation& before) {
  const bool alike =
      before.states_ && before.device_->id() == device_->id() && before.program().devices == program().devices;
  if (!alike) return;
  const auto starts_as = [](const Init& a, const Init& b) {
    return a.kind == b.kind && a.a == b.a && a.stream == b.stream;
  };
  for (const Param& param : before.program().params) {
    const auto same = std::ranges::find(program().params, param.name, &Param::name);
    if (same == program().params.end() || !starts_as(param.init, same->init)) return;
  }
  before.executable_.reset();
  device_ = std::move(before.device_);
  states_ = std::move(before.states_);
  seed_ = before.seed_;
  overwritten_ = before.overwritten_;
}

Status Evaluation::set_weights(const Weights* weights, uint64_t seed, Lacking lacking) {
  const bool complete =
      weights && std::ranges::all_of(program().params, [&](const Param& p) { return weights->contains(p.name); });
  const bool anew = seed != seed_ || (overwritten_ && !complete);
  if (anew) {
    executable_.reset();
    states_.reset();
    seed_ = seed;
    overwritten_ = false;
  }
  overwritten_ = overwritten_ || weights;
  if (executable_) return weights ? give_weights(program(), *states_, *weights, lacking) : ok();
  std::vector<ValueId> keep = evaluated_.wires;
  keep.insert(keep.end(), kept_.begin(), kept_.end());
  HW_TRY(CompiledEvaluation compiled,
         compile_evaluation(evaluated_.program, *device_, {states_, seed, weights, lacking}, keep));
  states_ = std::move(compiled.states);
  executable_ = std::move(compiled.executable);
  const Status given = give(given_);
  if (!given) executable_.reset();
  return given;
}

Status Evaluation::give(const GivenValues& given) {
  for (const auto& [output, value] : given) {
    const std::string name = output.node + "." + output.socket;
    const bool read = std::ranges::any_of(program().inputs, [&](const Port& input) { return input.name == name; });
    if (read) HW_CHECK(executable_->write_input(name, value));
  }
  return ok();
}

Status Evaluation::run(const std::atomic<bool>* cancel, uint64_t step) {
  assert(executable_ && "set_weights comes first");
  StepInputs inputs;
  inputs.seed = seed_;
  inputs.step = step;
  inputs.cancel = cancel;
  executable_->reset_timings();
  return executable_->run(inputs);
}

Result<std::vector<Tensor>> Evaluation::read_all() const {
  std::vector<Tensor> values;
  for (const ValueId wire : evaluated_.wires) {
    HW_TRY(Tensor value, executable_->read(wire));
    values.push_back(std::move(value));
  }
  return values;
}

int64_t Evaluation::batches() const {
  int64_t most = 0;
  for (const Instr& instr : program().instrs) {
    const auto* rows = std::get_if<SampleRowsAttr>(&instr.attr);
    if (!rows || rows->rows <= 0) continue;
    most = std::max(most, (rows->split().count() + rows->rows - 1) / rows->rows);
  }
  return most;
}

}  // namespace hw
