// What every evaluation does between a lowered graph and its first run.
#pragma once

#include "engine/backend/backend.h"
#include "engine/graph/lower/lower.h"
#include "engine/passes/program_passes.h"
#include "engine/plan/write_weights.h"

namespace hw {

/// A lowered graph as a program to evaluate.
struct EvaluatedProgram {
  std::shared_ptr<const Program> program;
  std::vector<ValueId> wires;   // of `program`, in the order they were asked for
  std::vector<PassNote> notes;  // what passes made of nodes
};

/// `wires` become outputs, called "node.socket"; then passes run, all but those that are `off`. `device`: the id of
/// what runs nodes without a device of their own. Error HW-K001: a wire carries no tensor.
Result<EvaluatedProgram> evaluated_program(LoweredGraph& lowered, std::span<const SocketRef> wires,
                                           std::string_view device, const PassesOff& off = {});

/// What an evaluation begins with.
struct EvaluationStates {
  std::shared_ptr<States> there = nullptr;  // they keep their values but for those that `weights` has; null: none
  uint64_t seed = 0;                        // of the initial values of those that are not there
  const Weights* weights = nullptr;         // written into them; null: none
  Lacking lacking = Lacking::initial;       // of `weights`
};

/// A program ready to run.
struct CompiledEvaluation {
  std::shared_ptr<States> states;  // EvaluationStates::there, where it was given
  std::unique_ptr<Executable> executable;
};

/// `keep`: as Device::compile. What does not fit into the memory that is free is refused before it is taken: HW-R001.
/// Further errors: those of give_weights(), the device's own.
Result<CompiledEvaluation> compile_evaluation(std::shared_ptr<const Program> program, Device& device,
                                              const EvaluationStates& begin, std::span<const ValueId> keep = {});

}  // namespace hw
