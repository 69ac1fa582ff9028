#include "app/cli/evaluation.h"

#include <cstdio>

#include "app/cli/device_choice.h"
#include "engine/plan/memory_estimate.h"
#include "engine/plan/write_weights.h"

namespace hw::cli {

Result<Evaluator> Evaluator::make(const Graph& graph, Assets& assets, std::span<const SocketRef> wanted,
                                  const Evaluation& how) {
  Evaluator made;
  made.seed_ = how.seed;
  LowerOptions options;
  options.bindings = how.inputs;
  options.pins = true;
  HW_TRY(const LoweredGraph lowered, lower(graph, wanted, options, assets));
  std::vector<ValueId>& values = made.values_;
  for (const SocketRef& socket : wanted) {
    const auto& wire = lowered.sockets.at(socket);
    const Val* value = std::get_if<Val>(&wire);
    const std::string name = socket.node + "." + socket.socket;
    if (!value)
      return Error{codes::kind_mismatch, name,
                   "this wire carries a " +
                       std::string(std::get_if<std::shared_ptr<const Mesh>>(&wire)    ? "mesh"
                                   : std::get_if<std::shared_ptr<const Image>>(&wire) ? "picture"
                                                                                      : "data set") +
                       ".",
                   "Name a tensor."};
    lowered.program->outputs.push_back({name, value->id});
    values.push_back(value->id);
  }
  HW_TRY(const std::shared_ptr<Device> device, choose_device(how.device));
  made.device_ = device;
  const PassedProgram passed = apply_passes(*lowered.program, {device->id(), values}, how.passes_off);
  for (const PassNote& note : passed.notes)
    std::fprintf(stderr, "note: %s is computed in %s (%s)\n", note.node.c_str(), note.into.c_str(),
                 std::string(note.pass).c_str());
  HW_CHECK(check_memory(*passed.program, *device));
  HW_TRY(const std::shared_ptr<States> states, device->prepare_states(*passed.program, nullptr, how.seed, nullptr));
  if (how.weights) {
    HW_TRY(const std::vector<std::string> missing, write_weights(*passed.program, *states, *how.weights));
    if (!missing.empty() && !how.partial_weights) return missing_parameter(missing.front());
  }
  HW_TRY(made.executable_, device->compile(passed.program, states, values));
  for (const auto& [socket, tensor] : how.inputs)
    if (lowered.sockets.contains(socket)) made.used_.insert(socket);
  return made;
}

Result<std::vector<Tensor>> Evaluator::run(const std::map<SocketRef, Tensor>& inputs) {
  for (const auto& [socket, tensor] : inputs) {
    if (used_.contains(socket)) HW_CHECK(executable_->write_input(socket.node + "." + socket.socket, tensor));
  }
  StepInputs step;
  step.seed = seed_;
  HW_CHECK(executable_->run(step));
  std::vector<Tensor> out;
  for (const ValueId value : values_) {
    HW_TRY(Tensor tensor, executable_->read(value));
    out.push_back(std::move(tensor));
  }
  return out;
}

Result<std::vector<Tensor>> evaluate(const Graph& graph, Assets& assets, std::span<const SocketRef> wanted,
                                     const Evaluation& how) {
  HW_TRY(Evaluator evaluator, Evaluator::make(graph, assets, wanted, how));
  return evaluator.run(how.inputs);
}

}  // namespace hw::cli
