#include "engine/field/node_evaluator.h"

#include "engine/core/codes.h"

namespace hw {

Result<std::shared_ptr<NodeEvaluator>> NodeEvaluator::make(const Graph& graph, const std::string& node, Assets& assets,
                                                           std::shared_ptr<Device> device, ForwardMode mode) {
  const Node* found = graph.find(node);
  const NodeType* type = found ? Registry::instance().find(found->type) : nullptr;
  if (!type) return Error{codes::unknown_node, node, "there is no such node.", ""};
  auto made = std::make_shared<NodeEvaluator>();
  made->node_ = node;
  made->mode_ = mode;
  made->owner_ = found->tie.empty() ? node : found->tie;
  std::vector<SocketRef> wires;
  const auto add = [&](const SocketDecl& socket, SocketRef wire) {
    if (socket.kind != Kind::tensor) return;
    made->names_.push_back(socket.id);
    wires.push_back(std::move(wire));
  };
  const Declaration declared = type->declared(found->params);
  for (const SocketDecl& output : declared->outputs()) add(output, {node, output.id});
  if (declared->outputs().empty()) {
    for (const SocketDecl& input : declared->inputs()) {
      const std::vector<Link> links = graph.links_into(node, input.id);
      if (!links.empty()) add(input, {links.front().from, links.front().from_socket});
    }
  }
  if (wires.empty()) return Error{codes::kind_mismatch, node, "it has no tensors to show.", ""};
  HW_TRY(made->program_, ForwardProgram::make(graph, wires, {}, assets, std::move(device), mode));
  return made;
}

Result<std::shared_ptr<const NodeInspection>> NodeEvaluator::evaluate(const Weights* weights, uint64_t seed,
                                                                      const std::atomic<bool>* cancel) {
  HW_CHECK(program_->set_weights(weights, seed));
  HW_CHECK(program_->run(cancel));
  auto result = std::make_shared<NodeInspection>();
  result->node = node_;
  result->evaluated = true;
  result->training = mode_ == ForwardMode::training;
  const auto add = [&](const std::string& name, bool is_param, Tensor value) {
    NodeInspection::Item item;
    item.name = name;
    item.is_param = is_param;
    item.value = std::move(value);
    item.no_gradient_because = "Evaluation computes no gradients: train to see them.";
    result->items.push_back(std::move(item));
  };
  for (size_t i = 0; i < names_.size(); ++i) {
    HW_TRY(Tensor value, program_->read(i));
    add(names_[i], false, std::move(value));
  }
  for (const Param& param : program_->program().params) {
    if (param.name.starts_with(owner_ + ".")) add(param.name.substr(owner_.size() + 1), true, program_->read(param));
  }
  return std::shared_ptr<const NodeInspection>(std::move(result));
}

}  // namespace hw
