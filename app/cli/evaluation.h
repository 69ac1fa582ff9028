// Runs some sockets of a graph in evaluation mode, once or often.
#pragma once

#include "app/cli/graph_input.h"
#include "engine/backend/backend.h"
#include "engine/passes/program_passes.h"

namespace hw::cli {

struct Evaluation {
  std::string device = "cpu";
  uint64_t seed = 0;
  std::shared_ptr<const Weights> weights;  // null: initial weights for `seed`
  std::map<SocketRef, Tensor> inputs;      // outputs whose values are given
  bool partial_weights = false;            // initial ones for those that `weights` lack; else they are refused
  PassesOff passes_off;
};

/// Some sockets of a graph, compiled once to be run as often as wanted.
class Evaluator {
 public:
  /// `how.inputs` define dtypes and sizes of the given values; run() may give other values. What passes made of nodes
  /// is printed as notes. Errors: those of evaluate().
  static Result<Evaluator> make(const Graph& graph, Assets& assets, std::span<const SocketRef> wanted,
                                const Evaluation& how);
  /// The values of `wanted`, in order. Blocks.
  Result<std::vector<Tensor>> run(const std::map<SocketRef, Tensor>& inputs);

 private:
  std::set<SocketRef> used_;  // of the inputs
  std::vector<ValueId> values_;
  uint64_t seed_ = 0;
  std::shared_ptr<Device> device_;
  std::unique_ptr<Executable> executable_;
};

/// The values of `wanted`, in order. What passes made of nodes is printed as notes. Errors: what lowering and the
/// device report; HW-K001 for a mesh wire; HW-F005.
Result<std::vector<Tensor>> evaluate(const Graph& graph, Assets& assets, std::span<const SocketRef> wanted,
                                     const Evaluation& how);

}  // namespace hw::cli
