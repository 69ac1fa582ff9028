#include "engine/evaluate/compile_evaluation.h"

#include "engine/plan/memory_estimate.h"

namespace hw {
namespace {

Error no_tensor(const std::string& wire, const LowerArgs::Arg& carried) {
  const char* kind = std::holds_alternative<std::shared_ptr<const Mesh>>(carried)    ? "mesh"
                     : std::holds_alternative<std::shared_ptr<const Image>>(carried) ? "picture"
                                                                                     : "data set";
  return {codes::kind_mismatch, wire, "this wire carries a " + std::string(kind) + ", not a tensor.",
          "Name a wire that carries a tensor."};
}

}  // namespace

Result<EvaluatedProgram> evaluated_program(LoweredGraph& lowered, std::span<const SocketRef> wires,
                                           std::string_view device, const PassesOff& off) {
  EvaluatedProgram made;
  for (const SocketRef& wire : wires) {
    const LowerArgs::Arg& carried = lowered.sockets.at(wire);
    const std::string name = wire.node + "." + wire.socket;
    const Val* value = std::get_if<Val>(&carried);
    if (!value) return no_tensor(name, carried);
    lowered.program->outputs.push_back({name, value->id});
    made.wires.push_back(value->id);
  }
  PassedProgram passed = apply_passes(*lowered.program, {device, made.wires}, off);
  made.program = std::move(passed.program);
  made.notes = std::move(passed.notes);
  return made;
}

Result<CompiledEvaluation> compile_evaluation(std::shared_ptr<const Program> program, Device& device,
                                              const EvaluationStates& begin, std::span<const ValueId> keep) {
  CompiledEvaluation made;
  HW_CHECK(check_memory(*program, device, begin.there.get()));
  HW_TRY(made.states, device.prepare_states(*program, begin.there, begin.seed, nullptr));
  if (begin.weights) HW_CHECK(give_weights(*program, *made.states, *begin.weights, begin.lacking));
  HW_TRY(made.executable, device.compile(std::move(program), made.states, keep));
  return made;
}

}  // namespace hw
