// Wires of a graph computed forward, without training it.
#pragma once

#include <atomic>
#include <optional>

#include "app/workspace/open_graph.h"
#include "engine/evaluate/evaluation.h"
#include "engine/train/bad_value.h"

namespace hw::workspace {

/// What is computed, from what, and where. Tensors in `given` and `weights` share their memory with the caller, who
/// does not write into it before the call has returned, and the Evaluation that it made is gone.
struct EvaluationRequest {
  Graph graph;  // flattened, without errors in the cone of `wires`: see find_computable
  std::shared_ptr<Assets> assets;
  std::vector<SocketRef> wires = {};
  std::string device = "cpu";                   // of nodes without one of their own
  GivenValues given = {};                       // in the place of outputs
  std::shared_ptr<const Weights> weights = {};  // null: initial ones for `seed`
  bool partial_weights = false;                 // initial ones for those that `weights` lack; else they are refused
  uint64_t seed = 0;                            // of initial weights and random numbers
  PassesOff passes_off = {};
  const std::atomic<bool>* cancel = nullptr;  // evaluate() alone
  OptionNames option_names = {};              // by which the device is given
};

/// A wire by name, which can be computed. `document`: what `graph` was flattened from. Errors: those of find_output,
/// check_values and check_blocking.
Result<SocketRef> find_computable(const Graph& graph, const Graph& document, const std::string& name,
                                  const OptionNames& names, Notes& notes);

/// Ready to run, as often as wanted, on one thread at a time. Notes: what passes made of nodes. Errors: those of
/// Evaluation::make and set_weights; HW-C001, HW-R006 for the device.
Result<Evaluation> prepare_evaluation(const EvaluationRequest& request, Notes& notes);

/// The values of the wires, in order, after one run: copies in host memory, which the caller owns. Blocks; any thread,
/// several at once. Errors: as above, those of the run, HW-R004 cancelled.
Result<std::vector<Tensor>> evaluate(const EvaluationRequest& request, Notes& notes);

/// Where NaN among `values`, which evaluate() gave for this request, began. Nothing where there is none, where what was
/// given holds one, and where it is not found. Blocks: it evaluates again.
std::optional<BadValue> find_first_nan(const EvaluationRequest& request, const std::vector<Tensor>& values);

}  // namespace hw::workspace
