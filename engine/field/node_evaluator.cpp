#include "engine/field/node_evaluator.h"

#include "engine/core/codes.h"
#include "engine/graph/groups/scope.h"

namespace hw {
namespace {

/// The outputs of an instance are nodes right in it, called like its sockets.
void add_instance(const Graph& flat, const std::string& path, NodeTensors& tensors) {
  const std::string inside = path + "/";
  for (auto it = flat.nodes().lower_bound(inside); it != flat.nodes().end() && it->first.starts_with(inside); ++it) {
    const std::string socket = it->first.substr(inside.size());
    if (it->second.type != kOutputType || socket.find('/') != socket.npos) continue;
    const Declaration declared = Registry::instance().find(kOutputType)->declared(it->second.params);
    const SocketDecl& y = declared->outputs().front();
    if (y.kind != Kind::tensor) continue;
    tensors.names.push_back(socket);
    tensors.wires.push_back({it->first, y.id});
  }
}

}  // namespace

NodeTensors tensors_of(const Graph& flat, const std::string& path) {
  NodeTensors tensors{path, {}, {}};
  const Node* node = flat.find(path);
  if (!node) return add_instance(flat, path, tensors), tensors;
  const NodeType* type = Registry::instance().find(node->type);
  if (!type) return tensors;
  const auto add = [&](const SocketDecl& socket, SocketRef wire) {
    if (socket.kind != Kind::tensor) return;
    tensors.names.push_back(socket.id);
    tensors.wires.push_back(std::move(wire));
  };
  const Declaration declared = type->declared(node->params);
  for (const SocketDecl& output : declared->outputs()) add(output, {path, output.id});
  if (!declared->outputs().empty()) return tensors;
  for (const SocketDecl& input : declared->inputs()) {
    const std::vector<Link> links = flat.links_into(path, input.id);
    if (!links.empty()) add(input, {links.front().from, links.front().from_socket});
  }
  return tensors;
}

Result<std::shared_ptr<NodeEvaluator>> NodeEvaluator::make(const Graph& flat, const std::vector<std::string>& nodes,
                                                           Assets& assets, std::shared_ptr<Device> device,
                                                           ForwardMode mode, const GivenValues& given) {
  auto made = std::make_shared<NodeEvaluator>();
  made->mode_ = mode;
  std::vector<SocketRef> wires;
  for (const std::string& path : nodes) {
    NodeTensors tensors = tensors_of(flat, path);
    if (tensors.wires.empty()) return Error{codes::kind_mismatch, path, "it has no tensors to show.", ""};
    wires.insert(wires.end(), tensors.wires.begin(), tensors.wires.end());
    const Node* node = flat.find(path);
    made->nodes_.push_back({std::move(tensors), !node ? "" : node->tie.empty() ? path : node->tie});
  }
  HW_TRY(made->program_, Evaluation::make(flat, wires, assets, std::move(device), {.mode = mode, .given = given}));
  return made;
}

Result<NodeEvaluator::Inspections> NodeEvaluator::evaluate(const Weights* weights, uint64_t seed,
                                                           const std::atomic<bool>* cancel, uint64_t step) {
  HW_CHECK(program_->set_weights(weights, seed));
  HW_CHECK(program_->run(cancel, step));
  const std::map<std::string, NodeFacts> facts = this->facts();
  Inspections all;
  size_t wire = 0;
  for (const Of& of : nodes_) {
    auto found = std::make_shared<NodeInspection>();
    found->node = of.tensors.node;
    found->evaluated = true;
    found->training = mode_ == ForwardMode::training;
    found->batches = program_->batches();
    if (const auto known = facts.find(found->node); known != facts.end()) found->kernels = known->second.kernels;
    const auto add = [&](const std::string& name, bool is_param, Tensor value) {
      NodeInspection::Item item;
      item.name = name;
      item.is_param = is_param;
      item.value = std::move(value);
      item.no_gradient_because = "Evaluation computes no gradients: train to see them.";
      found->items.push_back(std::move(item));
    };
    for (const std::string& name : of.tensors.names) {
      HW_TRY(Tensor value, program_->read(wire++));
      add(name, false, std::move(value));
    }
    const std::string prefix = of.owner + ".";
    for (const Param& param : program_->program().params) {
      if (!of.owner.empty() && param.name.starts_with(prefix))
        add(param.name.substr(prefix.size()), true, program_->read(param));
    }
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace hw
