#include "engine/graph/precision/choose_precision.h"

#include <algorithm>
#include <set>

#include "engine/graph/check/validate.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/near_nodes.h"
#include "engine/node/dtype_join.h"

namespace hw {
namespace {

constexpr char kCompute[] = "compute";

bool allows(const DtypeVariable& variable, DType dtype) {
  return variable.allowed.empty() || contains(variable.allowed, dtype);
}

std::string text_of(const Node& node, const std::string& param) {
  const ParamValue value = param_value(node, param);
  const auto* text = std::get_if<std::string>(&value);
  return text ? *text : "";
}

const NodeType& type_of(const Graph& graph, const std::string& node) {
  return *Registry::instance().find(graph.find(node)->type);
}

bool is_cast(const Graph& graph, const DtypeVariable& variable) {
  return !variable.param.empty() && graph.find(variable.node)->type == "cast";
}

/// A Cast that is there for the dtype alone.
bool is_plain_cast(const Graph& graph, const DtypeVariable& variable) {
  const Node& node = *graph.find(variable.node);
  const ParamValue saturate = param_value(node, "saturate");
  return text_of(node, "rounding") == "nearest" && !std::get<bool>(saturate);
}

/// What stands behind each variable asks for, sinks first.
class Wants {
 public:
  Wants(const DtypeFlow& flow, const DtypeChoice& params) : flow_(flow), params_(params) {}

  /// The one dtype that everything behind `node` asks for, or nothing.
  std::optional<DType> behind(const std::string& node) {
    const auto [entry, fresh] = known_.try_emplace(node);
    if (!fresh) return entry->second;
    std::set<DType> asked;
    for (const Link& link : flow_.graph().links_from(node)) {
      const int v = flow_.input_variable(link.to, link.to_socket);
      if (v < 0) continue;
      const bool is_param = !flow_.variables()[static_cast<size_t>(v)].param.empty();
      const auto dtype = is_param ? params_[static_cast<size_t>(v)] : behind(link.to);
      if (dtype) asked.insert(*dtype);
    }
    return known_[node] = asked.size() == 1 ? std::optional(*asked.begin()) : std::nullopt;
  }

 private:
  const DtypeFlow& flow_;
  const DtypeChoice& params_;
  std::map<std::string, std::optional<DType>> known_;
};

/// The compute choice of a node; false: it has none, or not this one.
bool set_compute(const Graph& graph, const std::string& node, std::optional<DType> compute, PrecisionPlan& plan) {
  const ParamDecl* param = type_of(graph, node).decl.find_param(kCompute);
  const std::string value = compute ? std::string(name(*compute)) : "storage";
  if (!param || std::find(param->choices.begin(), param->choices.end(), value) == param->choices.end()) return !compute;
  const std::string before = text_of(*graph.find(node), kCompute);
  if (before == value) return true;
  plan.edits.push_back(SetParam{node, kCompute, ParamValue(value)});
  plan.notes.push_back(node + " rounds the factors of its products to " + (compute ? value : "their storage dtype") +
                       ", before to " + (before == "storage" ? "their storage dtype" : before) + ".");
  return true;
}

/// The node whose parameters this one uses: itself or its owner.
const std::string& owner_of(const Graph& graph, const std::string& node) {
  const std::string& tie = graph.find(node)->tie;
  return tie.empty() ? node : tie;
}

std::set<std::string> with_ties(const Graph& graph, std::span<const std::string> nodes) {
  std::set<std::string> all;
  for (const std::string& node : nodes) {
    const std::string& owner = owner_of(graph, node);
    all.insert(owner);
    for (const std::string& tied : tied_to(graph, owner)) all.insert(tied);
  }
  return all;
}

bool has_compute(const Graph& graph, const std::string& node, DType compute) {
  const NodeType* type = Registry::instance().find(graph.find(node)->type);
  const ParamDecl* param = type ? type->decl.find_param(kCompute) : nullptr;
  return param && std::ranges::find(param->choices, name(compute)) != param->choices.end();
}

/// Why the node cannot be computed in `dtype`; empty: it can.
std::string refusal(const DtypeFlow& flow, const DtypeChoice& present, const std::string& node, DType dtype) {
  if (dtype == DType::tf32)
    return has_compute(flow.graph(), node, dtype) ? "" : "has no products that could be computed in tf32.";
  bool carries = false;
  for (size_t v = 0; v < flow.variables().size(); ++v) {
    const DtypeVariable& variable = flow.variables()[v];
    if (variable.node != node || !present[v] || variable.as_wired) continue;
    if (allows(variable, dtype)) return {};
    carries = true;
  }
  return carries ? "cannot be computed in " + std::string(name(dtype)) + "."
                 : "has no float dtype that could be chosen.";
}

Error refused(const std::string& where, std::string why) {
  return {codes::unsupported, where, std::move(why),
          "Leave this node out, or choose a dtype that its documentation lists."};
}

/// The nodes that `names` are, and of instances of groups those in them that can be computed in `dtype`.
Result<std::vector<std::string>> nodes_for(const DtypeFlow& flow, const DtypeChoice& present,
                                           std::span<const std::string> names, DType dtype) {
  const Graph& graph = flow.graph();
  std::vector<std::string> nodes;
  for (const std::string& name : names) {
    if (graph.find(name)) {
      nodes.push_back(name);
      continue;
    }
    const std::vector<std::string> within = nodes_at(graph, name);
    if (within.empty()) return no_such_node(graph, name, name);
    const size_t had = nodes.size();
    std::ranges::copy_if(within, std::back_inserter(nodes), [&](const std::string& node) {
      const bool is_cast = graph.find(node)->type == "cast";  // says its dtype, and computes nothing
      return !is_cast && refusal(flow, present, node, dtype).empty();
    });
    if (nodes.size() == had)
      return refused(name, "no node in this group can be computed in " + std::string(hw::name(dtype)) + ".");
  }
  return nodes;
}

}  // namespace

std::string to_string(const NodePrecision& precision) {
  std::string text(name(precision.dtype));
  if (precision.compute) text += ", products in " + std::string(name(*precision.compute));
  return text;
}

std::vector<ChoosableNode> choosable_nodes(const Graph& graph) {
  std::map<std::string, ChoosableNode> found;
  const DtypeFlow flow(graph);
  for (const DtypeVariable& variable : flow.variables()) {
    if (variable.param.empty() || is_cast(graph, variable) || !graph.find(variable.node)->tie.empty()) continue;
    ChoosableNode node{variable.node, {}, {}, {variable.declared, {}}};
    for (const DType dtype : variable.allowed) {
      if (info(dtype).is_float && info(dtype).storable) node.dtypes.push_back(dtype);
    }
    if (node.dtypes.empty() || !info(variable.declared).is_float) continue;
    if (const ParamDecl* compute = type_of(graph, variable.node).decl.find_param(kCompute)) {
      for (const std::string& choice : compute->choices) {
        if (const auto dtype = dtype_from_name(choice)) node.computes.push_back(*dtype);
      }
      node.now.compute = dtype_from_name(text_of(*graph.find(variable.node), kCompute));
    }
    found.emplace(variable.node, std::move(node));
  }
  std::vector<ChoosableNode> list;
  for (auto& [id, node] : found) list.push_back(std::move(node));
  return list;
}

PrecisionPlan choose_precision(const Graph& graph, const std::map<std::string, NodePrecision>& nodes) {
  const DtypeFlow flow(graph);
  const auto& variables = flow.variables();
  const auto chosen = [&](const std::string& node) { return nodes.find(owner_of(graph, node)); };
  DtypeChoice params(variables.size());
  for (size_t v = 0; v < variables.size(); ++v) {
    if (variables[v].param.empty() || is_cast(graph, variables[v])) continue;
    const auto given = chosen(variables[v].node);
    const bool takes = given != nodes.end() && allows(variables[v], given->second.dtype);
    params[v] = takes ? given->second.dtype : variables[v].declared;
  }
  Wants wants(flow, params);
  const DtypeChoice before = flow.present();
  const DtypeChoice choice = flow.settle([&](size_t v, const std::vector<DType>& inputs) -> std::optional<DType> {
    const DtypeVariable& variable = variables[v];
    if (params[v]) return params[v];
    if (is_cast(graph, variable)) {
      const auto asked = is_plain_cast(graph, variable) ? wants.behind(variable.node) : std::nullopt;
      return asked && allows(variable, *asked) ? *asked : variable.declared;
    }
    if (inputs.empty()) return std::nullopt;
    DType dtype = inputs.front();
    for (const DType in : inputs) dtype = join(dtype, in, variable.allowed).value_or(dtype);
    if (const auto asked = wants.behind(variable.node)) dtype = join(dtype, *asked, variable.allowed).value_or(dtype);
    const bool wide = !graph.find(variable.node)->bypassed &&
                      type_of(graph, variable.node).decl.autocast() == Autocast::f32 && info(dtype).bits < 32;
    if (wide && allows(variable, DType::f32)) dtype = DType::f32;
    return allows(variable, dtype) ? dtype : before[v].value_or(dtype);
  });
  PrecisionPlan plan = realise(flow, choice, {false, true});
  for (const DtypeVariable& variable : variables) {
    const auto given = chosen(variable.node);
    if (!variable.param.empty() && !is_cast(graph, variable) && given != nodes.end())
      set_compute(graph, variable.node, given->second.compute, plan);
  }
  return plan;
}

Result<PrecisionPlan> set_precision(const Graph& graph, std::span<const std::string> nodes, DType dtype) {
  const DtypeFlow flow(graph);
  const DtypeChoice before = flow.present();
  HW_TRY(const std::vector<std::string> named, nodes_for(flow, before, nodes, dtype));
  const std::set<std::string> selected = with_ties(graph, named);
  for (const std::string& node : selected) {
    if (const std::string why = refusal(flow, before, node, dtype); !why.empty())
      return refused(node, display_name(*graph.find(node)) + " " + why);
  }
  if (dtype == DType::tf32) {
    PrecisionPlan plan;
    for (const std::string& node : selected) set_compute(graph, node, dtype, plan);
    return plan;
  }
  const DtypeChoice choice = flow.settle([&](size_t v, const std::vector<DType>&) {
    const DtypeVariable& variable = flow.variables()[v];
    const bool here = selected.contains(variable.node) && before[v] && allows(variable, dtype);
    return here ? std::optional(dtype) : before[v];
  });
  return realise(flow, choice, {false, true});
}

PrecisionPlan widen_loss(const Graph& graph, const std::string& trainer) {
  Validator validator;
  validator.reset(graph);
  std::set<std::string> tail;
  const auto add = [&](const auto& self, const std::string& node) -> void {
    for (const Link& link : graph.links_into(node)) {
      const auto type = validator.output_type(link.from, link.from_socket);
      if (!type || element_count(type->shape.dims()) != 1 || !tail.insert(link.from).second) continue;
      self(self, link.from);
    }
  };
  add(add, trainer);
  const DtypeFlow flow(graph);
  const DtypeChoice before = flow.present();
  const DtypeChoice choice = flow.settle([&](size_t v, const std::vector<DType>&) {
    const DtypeVariable& variable = flow.variables()[v];
    const bool narrow = before[v] && info(*before[v]).is_float && info(*before[v]).bits < 32;
    return narrow && tail.contains(variable.node) && allows(variable, DType::f32) ? std::optional(DType::f32)
                                                                                  : before[v];
  });
  return realise(flow, choice, {true, false});
}

}  // namespace hw
