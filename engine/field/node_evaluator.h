// NodeEvaluator: the tensors of nodes computed forward, without training.
#pragma once

#include <atomic>

#include "engine/evaluate/evaluation.h"
#include "engine/instrument/node_inspection.h"

namespace hw {

/// The tensors of a node that are shown, and the wires that carry them.
struct NodeTensors {
  std::string node;                // its path
  std::vector<std::string> names;  // sockets
  std::vector<SocketRef> wires;    // of the flat graph
};
/// The outputs of a node of a flat graph; what the inputs of a node without outputs, such as a viewer, take; what the
/// instance of a group at this path gives. Empty where none is a tensor, or there is no such node.
NodeTensors tensors_of(const Graph& flat, const std::string& path);

/// Evaluates all nodes by one program. On any device; changes no weights. One thread at a time, which may be another
/// each time.
class NodeEvaluator {
 public:
  /// Evaluates tensors_of() each of `nodes`. `device`: as FieldEvaluator::make. Errors: HW-K001 where a node has none,
  /// and what lowering reports.
  static Result<std::shared_ptr<NodeEvaluator>> make(const Graph& flat, const std::vector<std::string>& nodes,
                                                     Assets& assets, std::shared_ptr<Device> device,
                                                     ForwardMode mode = ForwardMode::evaluation,
                                                     const GivenValues& given = {});
  /// As Evaluation::continue_from.
  void continue_from(NodeEvaluator& before) { program_->continue_from(*before.program_); }
  /// In the order of the nodes; outputs, then parameters. Parameters that `weights` (null: none) lacks have their
  /// initial values for `seed`. `step`: as Evaluation::run. Errors: HW-F005, HW-R001 before memory is taken,
  /// HW-R004 when `cancel` (null: never) is set, the device's own.
  using Inspections = std::vector<std::shared_ptr<const NodeInspection>>;
  Result<Inspections> evaluate(const Weights* weights, uint64_t seed, const std::atomic<bool>* cancel = nullptr,
                               uint64_t step = 0);
  /// The facts of all nodes that the last evaluate() computed.
  std::map<std::string, NodeFacts> facts() const { return program_->facts(); }

 private:
  struct Of {
    NodeTensors tensors;
    std::string owner;  // of the parameters it uses; empty: an instance of a group, whose nodes have their own
  };
  std::vector<Of> nodes_;
  ForwardMode mode_ = ForwardMode::evaluation;
  std::optional<Evaluation> program_;
};

}  // namespace hw
