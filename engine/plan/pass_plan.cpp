#include "engine/plan/pass_plan.h"

#include <algorithm>

#include "engine/graph/lower/stand_in_loss.h"

namespace hw {
namespace {

std::vector<SocketRef> last_outputs(const Graph& graph) {
  std::vector<SocketRef> wanted;
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type) continue;
    const Declaration declared = type->declared(node.params);
    for (const SocketDecl& output : declared->outputs()) {
      const auto& links = graph.links_from(id);
      const bool goes_on = std::any_of(links.begin(), links.end(), [&](const Link& link) {
        const Node* to = graph.find(link.to);
        const NodeType* reader = to ? Registry::instance().find(to->type) : nullptr;
        return link.from_socket == output.id && reader && !reader->decl.outputs().empty();
      });
      if (!goes_on) wanted.push_back({id, output.id});
    }
  }
  return wanted;
}

}  // namespace

Result<TrainingPlan> plan_pass(const Graph& graph, Assets& assets, const GivenValues& given) {
  const std::vector<SocketRef> wanted = last_outputs(graph);
  if (wanted.empty())
    return Error{codes::unknown_node, "", "the graph has nothing to compute.", "Add a node with an output."};
  LowerOptions options;
  options.pins = true;
  options.bindings = given;
  HW_TRY(LoweredGraph lowered, lower(graph, wanted, options, assets));
  TrainingPlan plan;
  plan.program = lowered.program;
  plan.sockets = std::move(lowered.sockets);
  for (const auto& [id, node] : graph.nodes())
    if (!node.tie.empty()) plan.ties[id] = node.tie;
  plan.batch = source_samples(*plan.program);
  return plan;
}

Result<bool> anything_learns(const Graph& graph, Assets& assets, const GivenValues& given) {
  const auto checked = checkable(graph);
  if (!checked) return false;  // no float comes out of it
  HW_TRY(const TrainingPlan plan, plan_training(checked->graph, assets, false, true, 1, given));
  return learns(plan);
}

}  // namespace hw
