// Some sockets of a graph, evaluated as a command's options say.
#pragma once

#include "app/cli/options/graph_input.h"
#include "engine/evaluate/evaluation.h"

namespace hw::cli {

struct EvaluationChoice {
  std::string device = "cpu";
  uint64_t seed = 0;
  std::shared_ptr<const Weights> weights;  // null: initial weights for `seed`
  GivenValues inputs;                      // outputs whose values are given
  bool partial_weights = false;            // initial ones for those that `weights` lack; else they are refused
  PassesOff passes_off;
};

/// Ready to run. What passes made of nodes is printed as notes. Errors: those of Evaluation::make and set_weights;
/// HW-C001, HW-R006 for the device.
Result<Evaluation> prepare_evaluation(const Graph& graph, Assets& assets, std::span<const SocketRef> wanted,
                                      const EvaluationChoice& how);

/// The values of `wanted`, in order. Blocks. Errors: as above, and those of the run.
Result<std::vector<Tensor>> evaluate(const Graph& graph, Assets& assets, std::span<const SocketRef> wanted,
                                     const EvaluationChoice& how);

}  // namespace hw::cli
