#include "engine/graph/check/check_weights.h"

#include <algorithm>

#include "engine/graph/insert_cast.h"

namespace hw {
namespace {

std::string text(DType dtype) {
  return std::string(name(dtype));
}

/// The node in the weight's dtype: Casts on its inputs, and back on its outputs. Nothing when it cannot compute in it.
std::optional<Edits> cast_wires(const Graph& graph, const WeightClash& c) {
  const NodeType& type = *Registry::instance().find(c.node.type);
  const ParamDecl* param = type.decl.find_param(c.decl.dtype_param);
  if (!param || std::find(param->choices.begin(), param->choices.end(), text(c.stored)) == param->choices.end())
    return std::nullopt;
  const auto follows = [&](const SocketDecl* socket) {
    return socket && socket->dtype.kind == DTypeRule::Kind::parameter && socket->dtype.name == c.decl.dtype_param;
  };
  Edits edits{SetParam{c.node.id, c.decl.dtype_param, ParamValue(text(c.stored))}};
  Graph after = graph;
  const auto add = [&](const Link& link, DType to) {
    Edits cast = insert_cast(after, link, to);
    if (!apply_edits(after, cast)) return;
    std::move(cast.begin(), cast.end(), std::back_inserter(edits));
  };
  bool any = false;
  for (const Link& link : graph.links_into(c.node.id)) {
    if (follows(type.decl.find_input(link.to_socket))) add(link, c.stored), any = true;
  }
  if (!any) return std::nullopt;
  for (const Link& link : graph.links_from(c.node.id)) {
    if (follows(type.decl.find_output(link.from_socket))) add(link, c.computed);
  }
  const auto goes = [&](const WeightFormat& format) { return format.dtype == c.stored && !format.convert; };
  for (const auto& [name, format] : c.node.weights) {
    if (!goes(format)) continue;
    // Without a format of its own it has its family's, where there is one.
    const WeightDecl* decl = type.decl.find_weight(name);
    const auto family = decl && decl->id != name ? c.node.weights.find(decl->id) : c.node.weights.end();
    const bool stays = family != c.node.weights.end() && !goes(family->second);
    const auto own = stays ? std::optional(WeightFormat{c.stored, false, false}) : std::nullopt;
    if (own != format) edits.push_back(SetWeight{c.node.id, name, own});
  }
  return edits;
}

/// The input that fixes what the node computes with, for the text.
std::string input_text(const Graph& graph, const WeightClash& c) {
  const NodeType& type = *Registry::instance().find(c.node.type);
  for (const SocketDecl& socket : type.decl.inputs()) {
    if (socket.dtype.kind == DTypeRule::Kind::parameter && socket.dtype.name == c.decl.dtype_param &&
        !graph.links_into(c.node.id, socket.id).empty())
      return "its input " + socket.id + " is ";
  }
  return "it computes in ";
}

Diagnostic unknown_weight(const Node& node, const std::string& weight) {
  Diagnostic d;
  d.code = codes::unknown_parameter;
  d.severity = Severity::warning;
  d.node = node.id;
  d.socket = weight;
  d.reason = display_name(node) + " has no parameter \"" + weight + "\" whose dtype could be set.";
  d.remedies.push_back({"Remove it", {SetWeight{node.id, weight, std::nullopt}}});
  return d;
}

/// What a node computes a weight with, from the declaration alone.
std::optional<DType> computed_dtype(const Node& node, const WeightDecl& decl) {
  const auto value = param_value(node, decl.dtype_param);
  const auto* name = std::get_if<std::string>(&value);
  const auto dtype = name ? dtype_from_name(*name) : std::nullopt;
  return dtype ? std::optional(decl.computed_in(*dtype)) : std::nullopt;
}

}  // namespace

Diagnostic weight_clash(const Graph& graph, const WeightClash& c, const Edits& before, const std::string& has) {
  Diagnostic d;
  d.code = codes::weight_dtype;
  d.node = c.node.id;
  d.socket = c.weight;
  d.reason = "The parameter " + c.weight + " of " + display_name(c.node) + has + text(c.stored) + ", but ";
  d.reason += c.decl.statistics ? "running statistics are updated in " : input_text(graph, c);
  d.reason += text(c.computed) + ".";
  d.expected = text(c.computed);
  d.got = text(c.stored);
  const auto with = [&](Edits edits) {
    edits.insert(edits.begin(), before.begin(), before.end());
    return edits;
  };
  const bool casts = is_cast_target(c.stored) && is_cast_target(c.computed) && !c.decl.statistics;
  if (auto edits = casts ? cast_wires(graph, c) : std::nullopt)
    d.remedies.push_back(
        {insert_cast_words(c.computed, c.stored) + " before " + display_name(c.node) + ", and back behind it",
         with(std::move(*edits)), Remedy::Kind::insert_cast});
  if (casts)
    d.remedies.push_back({"Cast " + c.weight + " " + text(c.stored) + " → " + text(c.computed) + " on use",
                          with({SetWeight{c.node.id, c.weight, WeightFormat{c.stored, true, false}}}),
                          Remedy::Kind::cast_weight});
  d.remedies.push_back({"Store " + c.weight + " in " + text(c.computed),
                        with({SetWeight{c.node.id, c.weight, WeightFormat{c.computed, false, true}}}),
                        Remedy::Kind::set_dtype});
  if (is_cast_target(c.computed)) add_graph_remedies(d, before, c.computed);
  return d;
}

std::vector<Diagnostic> check_weight_formats(const Graph& graph, const Node& node,
                                             const std::function<InputTypes(const Node&)>& inputs) {
  std::vector<Diagnostic> found;
  const NodeType* type = Registry::instance().find(node.type);
  if (node.weights.empty() || !type) return found;
  const auto parameters = parameters_of(node, inputs(node));
  for (const auto& [name, format] : node.weights) {
    const WeightDecl* decl = type->decl.find_weight(name);
    const bool family = decl && decl->id == name && name.ends_with('*');
    if (!decl || !has_weight(node, *decl) || (parameters && !family && !parameters->contains(name))) {
      found.push_back(unknown_weight(node, name));
      continue;
    }
    const auto computed = computed_dtype(node, *decl);
    if (!computed || format.dtype == *computed || (format.cast && !decl->statistics)) continue;
    found.push_back(weight_clash(graph, {node, *decl, name, format.dtype, *computed}, {}, " is stored in "));
  }
  return found;
}

}  // namespace hw
