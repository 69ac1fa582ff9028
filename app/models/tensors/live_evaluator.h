// LiveEvaluator: evaluates nodes of graphs that follow one another; what did not change is not made again.
#pragma once

#include "app/models/tensors/cone_keys.h"
#include "engine/field/node_evaluator.h"

namespace hw::app {

/// What is evaluated, and with what. Immutable once handed to another thread.
struct EvaluationRequest {
  std::shared_ptr<const Graph> graph;  // flat
  EvaluationInputs inputs;
  std::shared_ptr<const Weights> weights;  // null: initial ones
};

/// One thread at a time, which may be another each time.
class LiveEvaluator {
 public:
  explicit LiveEvaluator(std::shared_ptr<Assets> assets) : assets_(std::move(assets)) {}
  /// As NodeEvaluator::make and evaluate: all nodes by one program, which is kept for other weights and batches.
  Result<NodeEvaluator::Inspections> evaluate(const EvaluationRequest& request, const std::vector<std::string>& nodes,
                                              const std::atomic<bool>* cancel);
  /// The facts of all nodes that the last evaluate() computed.
  std::map<std::string, NodeFacts> facts() const {
    return evaluator_ ? evaluator_->facts() : std::map<std::string, NodeFacts>();
  }

 private:
  const std::shared_ptr<Assets> assets_;
  EvaluationRequest last_;
  std::vector<std::string> nodes_;
  std::shared_ptr<NodeEvaluator> evaluator_;
};

}  // namespace hw::app
