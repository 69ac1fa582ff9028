#include "engine/field/forward_program.h"

#include <algorithm>
#include <cassert>

#include "engine/devices/devices.h"
#include "engine/plan/memory_estimate.h"
#include "engine/plan/write_weights.h"

namespace hw {

void clear_missing_devices(Program& program) {
  const std::vector<std::string> here = device_ids();
  for (std::string& pinned : program.devices)
    if (std::ranges::find(here, pinned) == here.end()) pinned.clear();
}

Result<ForwardProgram> ForwardProgram::make(const Graph& graph, std::span<const SocketRef> wires,
                                            const Domains& domains, Assets& assets, std::shared_ptr<Device> device,
                                            ForwardMode mode, const GivenValues& given, const PassesOff& off) {
  LowerOptions options;
  options.training = mode == ForwardMode::training;
  options.pins = true;
  options.domains = domains;
  options.bindings = given;
  HW_TRY(const LoweredGraph lowered, lower(graph, wires, options, assets));
  ForwardProgram made;
  for (const SocketRef& wire : wires) {
    const Val* value = std::get_if<Val>(&lowered.sockets.at(wire));
    const std::string where = wire.node + "." + wire.socket;
    if (!value) return Error{codes::kind_mismatch, where, "this wire carries no tensor, so it cannot be shown.", ""};
    lowered.program->outputs.push_back({where, value->id});
    made.wires_.push_back(value->id);
  }
  // Running statistics stay as they are.
  std::erase_if(lowered.program->instrs, [](const Instr& instr) { return written_inputs(instr.op) > 0; });
  clear_missing_devices(*lowered.program);
  made.program_ = apply_passes(*lowered.program, {device->id(), made.wires_}, off).program;
  made.device_ = std::move(device);
  made.given_ = given;
  return made;
}

void ForwardProgram::continue_from(ForwardProgram& before) {
  const bool alike =
      before.states_ && before.device_->id() == device_->id() && before.program_->devices == program_->devices;
  if (!alike) return;
  const auto starts_as = [](const Init& a, const Init& b) {
    return a.kind == b.kind && a.a == b.a && a.stream == b.stream;
  };
  for (const Param& param : before.program_->params) {
    const auto same = std::ranges::find(program_->params, param.name, &Param::name);
    if (same == program_->params.end() || !starts_as(param.init, same->init)) return;
  }
  before.executable_.reset();
  device_ = std::move(before.device_);
  states_ = std::move(before.states_);
  seed_ = before.seed_;
  overwritten_ = before.overwritten_;
}

Status ForwardProgram::set_weights(const Weights* weights, uint64_t seed) {
  const bool complete =
      weights && std::ranges::all_of(program_->params, [&](const Param& p) { return weights->contains(p.name); });
  if (!executable_ || seed != seed_ || (overwritten_ && !complete)) {
    executable_.reset();
    if (seed != seed_ || (overwritten_ && !complete)) {
      states_.reset();
      seed_ = seed;
      overwritten_ = false;
    }
    HW_CHECK(check_memory(*program_, *device_, states_.get()));
    HW_TRY(states_, device_->prepare_states(*program_, states_, seed, nullptr));
    HW_TRY(executable_, device_->compile(program_, states_, wires_));
    for (const auto& [socket, value] : given_) {
      const std::string name = socket.node + "." + socket.socket;
      const bool read = std::ranges::any_of(program_->inputs, [&](const Port& input) { return input.name == name; });
      if (read) HW_CHECK(executable_->write_input(name, value));
    }
  }
  if (!weights) return ok();
  overwritten_ = true;
  HW_CHECK(write_weights(*program_, *states_, *weights));
  return ok();
}

Status ForwardProgram::run(const std::atomic<bool>* cancel, uint64_t step) {
  assert(executable_ && "set_weights comes first");
  StepInputs inputs;
  inputs.seed = seed_;
  inputs.step = step;
  inputs.cancel = cancel;
  executable_->reset_timings();
  return executable_->run(inputs);
}

int64_t ForwardProgram::batches() const {
  int64_t most = 0;
  for (const Instr& instr : program_->instrs) {
    const auto* rows = std::get_if<SampleRowsAttr>(&instr.attr);
    if (!rows || rows->rows <= 0) continue;
    most = std::max(most, (rows->split().count() + rows->rows - 1) / rows->rows);
  }
  return most;
}

}  // namespace hw
