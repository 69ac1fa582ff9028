#include "engine/graph/check/check_tie.h"

#include <algorithm>

#include "engine/graph/check/lower_alone.h"

namespace hw {
namespace {

std::string text(const Value& v) {
  return std::string(name(v.dtype)) + " " + to_string(v.dims);
}

/// What differs first, or nothing.
std::optional<std::string> difference(const std::map<std::string, Value>& mine,
                                      const std::map<std::string, Value>& theirs) {
  for (const auto& [name, value] : mine) {
    const auto other = theirs.find(name);
    if (other == theirs.end()) return "it has " + name + ", the other has not";
    if (other->second.dtype != value.dtype || other->second.dims != value.dims)
      return name + " is " + text(value) + " here and " + text(other->second) + " there";
  }
  for (const auto& [name, value] : theirs) {
    if (!mine.contains(name)) return "the other has " + name + ", it has not";
  }
  return std::nullopt;
}

/// Settings of the owner that the node lacks, so that sizes and dtypes agree.
Edits copy_settings(const Node& from, const Node& to) {
  Edits edits;
  for (const ParamDecl& param : Registry::instance().find(to.type)->decl.params()) {
    if (param_value(from, param.id) != param_value(to, param.id))
      edits.push_back(SetParam{to.id, param.id, param_value(from, param.id)});
  }
  return edits;
}

}  // namespace

std::optional<std::map<std::string, Value>> parameters_of(const Node& node, const InputTypes& inputs) {
  const auto program = lower_alone(node, inputs);
  if (!program) return std::nullopt;
  std::map<std::string, Value> found;
  for (const Param& param : program->params) found[param.name] = (*program)[param.view];
  return found;
}

std::optional<Diagnostic> check_tie(const Graph& graph, const Node& node,
                                    const std::function<InputTypes(const Node&)>& inputs) {
  if (node.tie.empty()) return std::nullopt;
  Diagnostic d;
  d.code = codes::bad_tie;
  d.node = node.id;
  const std::string self = display_name(node) + " uses the parameters of \"" + node.tie + "\", ";
  const Remedy own{"Give " + display_name(node) + " parameters of its own", {SetTie{node.id, ""}}};
  const Node* owner = graph.find(node.tie);
  if (!owner || owner == &node) {
    d.reason = self + (owner ? "which is itself." : "which does not exist.");
    d.remedies = {own};
    return d;
  }
  if (owner->type != node.type) {
    d.reason = self + "which is of another type.";
    d.expected = node.type;
    d.got = owner->type;
    d.remedies = {own};
    return d;
  }
  if (!owner->tie.empty()) {
    d.reason = self + "which uses those of \"" + owner->tie + "\".";
    if (owner->tie != node.id) d.remedies.push_back({"Use those of " + owner->tie, {SetTie{node.id, owner->tie}}});
    d.remedies.push_back(own);
    return d;
  }
  const auto mine = parameters_of(node, inputs(node)), theirs = parameters_of(*owner, inputs(*owner));
  if (!mine || !theirs) return std::nullopt;
  const auto differs = difference(*mine, *theirs);
  if (!differs) return std::nullopt;
  d.reason = self + "but " + *differs + ".";
  Node alike = node;
  alike.params = owner->params;
  if (const auto then = parameters_of(alike, inputs(node)); then && !difference(*then, *theirs))
    d.remedies.push_back({"Give it the settings of " + display_name(*owner), copy_settings(*owner, node)});
  d.remedies.push_back(own);
  return d;
}

std::vector<std::string> tie_candidates(const Graph& graph, const Node& node) {
  const NodeType* type = Registry::instance().find(node.type);
  std::vector<std::string> found;
  if (!type || type->decl.weights().empty() || !tied_to(graph, node.id).empty()) return found;
  for (const auto& [id, other] : graph.nodes()) {
    if (id != node.id && other.type == node.type && other.tie.empty()) found.push_back(id);
  }
  return found;
}

}  // namespace hw
