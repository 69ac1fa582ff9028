#include "engine/graph/precision/autocast.h"

#include <algorithm>

#include "engine/node/dtype_join.h"

namespace hw {
namespace {

bool takes(const DtypeVariable& variable, DType dtype) {
  return variable.allowed.empty() ||
         std::find(variable.allowed.begin(), variable.allowed.end(), dtype) != variable.allowed.end();
}

/// The dtype of a variable, given what its inputs carry.
std::optional<DType> dtype_of(const Graph& graph, const DtypeVariable& variable, std::vector<DType> inputs, DType low) {
  const std::optional<DType> own = variable.param.empty() ? std::nullopt : std::optional(variable.declared);
  if (!variable.has_inputs) return own;
  std::erase_if(inputs, [](DType d) { return !info(d).is_float; });
  if (inputs.empty()) return own;
  DType widest = inputs.front();
  for (const DType in : inputs) widest = join(widest, in, variable.allowed).value_or(widest);
  const Node& node = *graph.find(variable.node);
  const Autocast rule =
      node.bypassed || widest == DType::f64 ? Autocast::follow : Registry::instance().find(node.type)->decl.autocast();
  DType dtype = widest;
  if (rule == Autocast::low) dtype = low;
  if (rule == Autocast::f32) dtype = DType::f32;
  // A node that follows and does not take the dtype refuses it: the wire stays the error it is.
  return takes(variable, dtype) ? dtype : own.value_or(widest);
}

}  // namespace

PrecisionPlan autocast(const Graph& graph, DType low) {
  const DtypeFlow flow(graph);
  const DtypeChoice choice = flow.settle(
      [&](size_t v, const std::vector<DType>& inputs) { return dtype_of(graph, flow.variables()[v], inputs, low); });
  PrecisionPlan plan = realise(flow, choice, {true, false});
  for (size_t v = 0; v < choice.size(); ++v) {
    const DtypeVariable& variable = flow.variables()[v];
    if (choice[v] && variable.has_inputs && info(*choice[v]).is_float && !takes(variable, *choice[v]))
      plan.notes.push_back(variable.node + " is left as it is: " + display_name(*graph.find(variable.node)) +
                           " refuses " + std::string(name(*choice[v])) + ".");
  }
  return plan;
}

}  // namespace hw
