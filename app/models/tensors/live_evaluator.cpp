#include "app/models/tensors/live_evaluator.h"

#include "engine/devices/devices.h"

namespace hw::app {

Result<NodeEvaluator::Inspections> LiveEvaluator::evaluate(const EvaluationRequest& request,
                                                           const std::vector<std::string>& nodes,
                                                           const std::atomic<bool>* cancel) {
  const EvaluationInputs& inputs = request.inputs;
  const bool same = evaluator_ && last_.graph == request.graph && nodes_ == nodes &&
                    last_.inputs.device == inputs.device && last_.inputs.training == inputs.training &&
                    last_.inputs.given == inputs.given;
  if (!same) {
    HW_TRY(std::shared_ptr<Device> on, make_device(inputs.device));
    const ForwardMode mode = inputs.training ? ForwardMode::training : ForwardMode::evaluation;
    HW_TRY(std::shared_ptr<NodeEvaluator> made,
           NodeEvaluator::make(*request.graph, nodes, *assets_, std::move(on), mode, values_of(*inputs.given)));
    if (evaluator_) made->continue_from(*evaluator_);
    evaluator_ = std::move(made);
    nodes_ = nodes;
  }
  last_ = request;
  last_.weights.reset();
  return evaluator_->evaluate(request.weights.get(), inputs.seed, cancel, inputs.step);
}

}  // namespace hw::app
