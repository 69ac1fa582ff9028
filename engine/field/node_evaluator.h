// NodeEvaluator: the tensors of a node computed forward, without training.
#pragma once

#include <atomic>

#include "engine/field/forward_program.h"
#include "engine/instrument/node_inspection.h"

namespace hw {

/// On any device; changes no weights. One thread at a time, which may be another each time.
class NodeEvaluator {
 public:
  /// Of `node` of a flat graph: the tensors of its outputs, by socket; of a node without outputs, such as a viewer,
  /// those that its inputs take. `device`: as FieldEvaluator::make. Errors: HW-K001 where none is a tensor, and what
  /// lowering reports.
  static Result<std::shared_ptr<NodeEvaluator>> make(const Graph& graph, const std::string& node, Assets& assets,
                                                     std::shared_ptr<Device> device,
                                                     ForwardMode mode = ForwardMode::evaluation);
  /// As ForwardProgram::continue_from.
  void continue_from(NodeEvaluator& before) { program_->continue_from(*before.program_); }
  /// Outputs, then parameters. Parameters that `weights` (null: none) lacks have their initial values for `seed`. Every
  /// call draws the same random numbers. Errors: HW-F005, HW-R001 before memory is taken, HW-R004 when `cancel` (null:
  /// never) is set, the device's own.
  Result<std::shared_ptr<const NodeInspection>> evaluate(const Weights* weights, uint64_t seed,
                                                         const std::atomic<bool>* cancel = nullptr);

 private:
  std::string node_, owner_;  // of the parameters it uses
  ForwardMode mode_ = ForwardMode::evaluation;
  std::vector<std::string> names_;
  std::optional<ForwardProgram> program_;
};

}  // namespace hw
