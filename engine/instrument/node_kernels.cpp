#include "engine/instrument/node_kernels.h"

#include <ranges>

#include "engine/program/work.h"

namespace hw {
namespace {

/// Ops that pass a parameter, or the gradient of one, on to a product or from it.
bool passes_through(Op op) {
  return op == Op::cast || op == Op::reshape || op == Op::transpose || op == Op::scale;
}

/// Values that are a parameter or its gradient, in whatever dtype and layout: → the parameter's name in its node.
std::map<ValueId, std::string> parameters_of(const Program& p, const std::unordered_map<ValueId, ValueId>& gradients) {
  std::map<ValueId, std::string> names;
  for (const Param& param : p.params) {
    const std::string name = param.name.substr(param.name.find('.') + 1);
    names[param.view] = name;
    if (const auto gradient = gradients.find(param.view); gradient != gradients.end()) names[gradient->second] = name;
  }
  const auto hand_on = [&](ValueId from, ValueId to) {
    if (const auto known = names.find(from); known != names.end()) names.emplace(to, known->second);
  };
  for (const Instr& i : p.instrs)
    if (passes_through(i.op) && !i.backward) hand_on(i.in[0], i.out[0]);
  for (const Instr& i : p.instrs | std::views::reverse)
    if (passes_through(i.op) && i.backward) hand_on(i.out[0], i.in[0]);
  return names;
}

/// The heaviest of some instructions; of equals the first.
struct Heaviest {
  std::optional<size_t> instr;
  Work work;

  void add(size_t index, const Work& of_it) {
    if (instr && !(work < of_it)) return;
    instr = index;
    work = of_it;
  }
};

struct Pass {
  Heaviest forward, backward;
  Heaviest& of(const Instr& i) { return i.backward ? backward : forward; }
};

}  // namespace

std::map<std::string, NodeKernels> node_kernels_of(const Program& p, const Executable& executable,
                                                   const std::unordered_map<ValueId, ValueId>& gradients) {
  const std::map<ValueId, std::string> parameters = parameters_of(p, gradients);
  std::vector<Pass> nodes(p.nodes.size());
  std::vector<std::vector<std::pair<std::string, Pass>>> layers(p.nodes.size());
  for (size_t k = 0; k < p.instrs.size(); ++k) {
    const Instr& i = p.instrs[k];
    if (i.out.empty()) continue;
    const Work work = work_of(p, i);
    nodes[i.node].of(i).add(k, work);
    if (work.products == 0) continue;
    auto& of_node = layers[i.node];
    for (const ValueId v : {i.in[0], i.in[1], i.out[0]}) {  // a third input is the bias that is added
      const auto name = parameters.find(v);
      if (name == parameters.end()) continue;
      auto layer = std::ranges::find(of_node, name->second, &std::pair<std::string, Pass>::first);
      if (layer == of_node.end()) layer = of_node.insert(layer, {name->second, {}});
      layer->second.of(i).add(k, work);
    }
  }
  const auto kernel = [&](const Heaviest& h) {
    return h.instr ? std::optional(executable.kernel_info(*h.instr)) : std::nullopt;
  };
  std::map<std::string, NodeKernels> all;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const auto forward = kernel(nodes[n].forward);
    if (!forward || p.nodes[n].empty()) continue;
    NodeKernels& node = all[p.nodes[n]];
    node.forward = *forward;
    node.backward = kernel(nodes[n].backward);
    if (layers[n].size() < 2) continue;
    for (const auto& [param, pass] : layers[n])
      if (const auto made = kernel(pass.forward)) node.layers.push_back({param, *made, kernel(pass.backward)});
  }
  return all;
}

std::string text_of(const KernelInfo& k) {
  return "stored " + std::string(name(k.storage)) + ", computed " + std::string(name(k.compute)) + ", accumulated " +
         std::string(name(k.accumulate)) + ", " + k.implementation;
}

}  // namespace hw
