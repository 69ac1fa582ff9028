#include "engine/train/inspected_node.h"

#include "engine/instrument/node_kernels.h"

namespace hw {

std::vector<InspectedNode::Shown> InspectedNode::shown(const TrainingPlan& plan) const {
  std::vector<Shown> all;
  if (node_.empty()) return all;
  for (const auto& [socket, arg] : plan.sockets) {
    const Val* value = std::get_if<Val>(&arg);
    if (socket.node == node_ && value && *value) all.push_back({socket.socket, false, value->id});
  }
  const auto tie = plan.ties.find(node_);
  const std::string owner = (tie == plan.ties.end() ? node_ : tie->second) + ".";
  for (const Param& param : plan.program->params)
    if (param.name.starts_with(owner)) all.push_back({param.name.substr(param.name.find('.') + 1), true, param.view});
  return all;
}

std::vector<ValueId> InspectedNode::kept(const TrainingPlan& plan) const {
  std::vector<ValueId> keep;
  for (const Shown& s : shown(plan)) {
    keep.push_back(s.value);
    if (const auto gradient = plan.gradients.find(s.value); gradient != plan.gradients.end())
      keep.push_back(gradient->second);
  }
  return keep;
}

void InspectedNode::prepare(const TrainingPlan& plan, const States& states, uint64_t step) {
  states_.clear();
  prepared_ = step;
  // A wire may be a state itself: what a Parameter node puts out.
  for (const Shown& s : shown(plan)) {
    const Value& value = (*plan.program)[s.value];
    if (value.storage == Storage::state && !states_.contains(value.name))
      states_.emplace(value.name, states.read(value.name));
  }
}

Result<NodeInspection::Item> InspectedNode::item_of(const TrainingPlan& plan, const Executable& gradients,
                                                    const Shown& shown, double scale) const {
  NodeInspection::Item item;
  item.name = shown.name;
  item.is_param = shown.is_param;
  const Value& value = (*plan.program)[shown.value];
  if (value.storage == Storage::state && updates_) {
    item.value = states_.at(value.name);
  } else {
    HW_TRY(item.value, gradients.read(shown.value));
  }
  if (const auto gradient = plan.gradients.find(shown.value); gradient != plan.gradients.end()) {
    HW_TRY(item.gradient, gradients.read(gradient->second));
  } else if (!info(value.dtype).is_float) {
    item.no_gradient_because = "Whole numbers carry no gradient.";
  } else {
    item.no_gradient_because = "No trainable parameter lies before it, so no gradient is computed here.";
  }
  if (const auto unscale = plan.unscale.find(shown.value); unscale != plan.unscale.end())
    item.gradient_scale = scale / unscale->second;
  return item;
}

Result<std::shared_ptr<const NodeInspection>> InspectedNode::read(const TrainingPlan& plan, const Executable& gradients,
                                                                  uint64_t step, double scale) const {
  const std::shared_ptr<const NodeInspection> nothing;
  if (updates_ && prepared_ != step) return nothing;
  auto result = std::make_shared<NodeInspection>();
  result->node = node_;
  result->step = step;
  for (const Shown& s : shown(plan)) {
    HW_TRY(NodeInspection::Item item, item_of(plan, gradients, s, scale));
    result->items.push_back(std::move(item));
  }
  if (result->items.empty()) return nothing;
  const auto kernels = node_kernels_of(*plan.program, gradients, plan.gradients);
  if (const auto kernel = kernels.find(node_); kernel != kernels.end()) result->kernels = kernel->second;
  return std::shared_ptr<const NodeInspection>(std::move(result));
}

}  // namespace hw
