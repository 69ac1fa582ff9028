#include "engine/graph/check/check_instances.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/core/nearest_names.h"
#include "engine/graph/check/check_fields.h"
#include "engine/graph/check/check_params.h"
#include "engine/graph/check/check_upstream.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/groups/scope.h"
#include "engine/graph/unread_fields.h"

namespace hw {
namespace {

/// The parameters of the node that `promoted` names; none: there is no such node, or nothing is known of it.
std::vector<std::string> names_at(const Graph& document, const Group& group, const PromotedParam& promoted) {
  std::vector<std::string> names;
  const Node* node = group.graph.find(promoted.node);
  const auto inner = node ? group_of(*node) : std::nullopt;
  const Group* of = inner ? document.find_group(*inner) : nullptr;
  const NodeType* type = node && !inner ? Registry::instance().find(node->type) : nullptr;
  if (of) std::ranges::transform(of->params, std::back_inserter(names), &PromotedParam::id);
  if (type) std::ranges::transform(type->decl.params(), std::back_inserter(names), &ParamDecl::id);
  return names;
}

/// Whether what a group promotes is there.
bool exists(const Graph& document, const Group& group, const PromotedParam& promoted) {
  const Node* node = group.graph.find(promoted.node);
  if (!node) return false;
  if (const auto inner = group_of(*node)) {
    const Group* of = document.find_group(*inner);
    return !of || std::ranges::find(of->params, promoted.param, &PromotedParam::id) != of->params.end();
  }
  const NodeType* type = Registry::instance().find(node->type);
  return !type || type->decl.find_param(promoted.param);
}

/// What a definition promotes without effect: a parameter that is not there, or one that another promoted parameter
/// sets.
void check_promoted(const Graph& document, const Group& group, std::vector<Diagnostic>& diagnostics) {
  std::map<std::pair<std::string, std::string>, std::string> by_target;
  for (const PromotedParam& promoted : group.params) {
    const std::string target = "\"" + promoted.param + "\" of \"" + promoted.node + "\"";
    const auto [other, is_first] = by_target.try_emplace({promoted.node, promoted.param}, promoted.id);
    const std::string promotion =
        "The group " + title_of(group) + " promotes " + target + " as \"" + promoted.id + "\", ";
    Diagnostic d;
    d.code = codes::unknown_parameter;
    if (!exists(document, group, promoted)) {
      d.reason = promotion + "which is not there." +
                 nearest_text(nearest_names(promoted.param, names_at(document, group, promoted), kMostNamed));
    } else if (!is_first) {
      d.severity = Severity::warning;
      d.reason = promotion + "and as \"" + other->second + "\": only one of their values counts.";
    } else {
      continue;
    }
    diagnostics.push_back(std::move(d));
  }
}

void check_instances(const Scope& scope, std::vector<Diagnostic>& diagnostics) {
  for (const auto& [id, node] : scope.graph->nodes()) {
    const auto inside = enter(scope, node);
    if (!inside) continue;
    const Group& group = *scope.document->find_group(*group_of(node));
    std::vector<std::string> known;
    for (const PromotedParam& promoted : group.params) known.push_back(promoted.id);
    std::map<std::string, std::string> unread = unread_params(node);
    for (const auto& [param, value] : node.params) unread.emplace(param, to_string(value));
    for (const auto& [param, text] : unread) {
      const bool promotes = std::ranges::find(known, param) != known.end();
      if (promotes && node.params.contains(param)) continue;
      Diagnostic d;
      d.code = promotes ? codes::bad_parameter : codes::unknown_parameter;
      d.node = scope.prefix + id;
      d.socket = param;
      d.got = text;
      d.reason = promotes ? param + ": its value cannot be " + text + "."
                          : "The group " + title_of(group) + " promotes no parameter \"" + param + "\"." +
                                nearest_text(nearest_names(param, known, kMostNamed));
      if (!scope.outer) d.remedies.push_back({"Remove it", {SetParam{node.id, param, std::nullopt}}});
      diagnostics.push_back(std::move(d));
    }
    for (Diagnostic& d : check_fields(node)) {
      d.node = scope.prefix + id;
      diagnostics.push_back(std::move(d));
    }
    check_instances(*inside, diagnostics);
  }
}

}  // namespace

std::vector<Diagnostic> check_instances(const Graph& graph) {
  std::vector<Diagnostic> diagnostics = check_document_fields(graph);
  if (graph.groups().empty()) return diagnostics;
  for (const auto& [id, group] : graph.groups()) check_promoted(graph, *group, diagnostics);
  check_instances(document_scope(graph), diagnostics);
  return diagnostics;
}

std::vector<Diagnostic> blocking_instances(const Graph& graph, const Graph& flat, const std::string& node) {
  std::vector<Diagnostic> found = check_instances(graph);
  std::erase_if(found, [](const Diagnostic& d) { return d.severity != Severity::error; });
  if (found.empty()) return found;
  const auto upstream = upstream_nodes(flat, node);
  std::erase_if(found, [&](const Diagnostic& d) {
    const auto within = [&](const std::string& id) { return id.starts_with(d.node + "/"); };
    return !d.node.empty() && std::ranges::none_of(upstream, within);
  });
  return found;
}

}  // namespace hw
