#include "engine/graph/check_instances.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/graph/group_interface.h"
#include "engine/graph/scope.h"

namespace hw {
namespace {

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

/// What a definition promotes in vain: a parameter that is not there, or one that another promoted parameter sets.
void check_promoted(const Graph& document, const Group& group, std::vector<Diagnostic>& diagnostics) {
  std::map<std::pair<std::string, std::string>, std::string> by_target;
  for (const PromotedParam& promoted : group.params) {
    const std::string target = "\"" + promoted.param + "\" of \"" + promoted.node + "\"";
    const auto [other, is_first] = by_target.try_emplace({promoted.node, promoted.param}, promoted.id);
    const std::string told = "The group " + title_of(group) + " promotes " + target + " as \"" + promoted.id + "\", ";
    Diagnostic d;
    d.code = codes::unknown_parameter;
    d.severity = Severity::warning;
    if (!exists(document, group, promoted)) {
      d.reason = told + "which is not there.";
    } else if (!is_first) {
      d.reason = told + "and as \"" + other->second + "\": only one of their values counts.";
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
    for (const auto& [param, value] : node.params) {
      if (std::ranges::find(group.params, param, &PromotedParam::id) != group.params.end()) continue;
      Diagnostic d;
      d.code = codes::unknown_parameter;
      d.severity = Severity::warning;
      d.node = scope.prefix + id;
      d.socket = param;
      d.reason = "The group " + title_of(group) + " promotes no parameter \"" + param + "\".";
      if (!scope.outer) d.remedies.push_back({"Remove it", {SetParam{node.id, param, std::nullopt}}});
      diagnostics.push_back(std::move(d));
    }
    check_instances(*inside, diagnostics);
  }
}

}  // namespace

std::vector<Diagnostic> check_instances(const Graph& graph) {
  std::vector<Diagnostic> diagnostics;
  if (graph.groups().empty()) return diagnostics;
  for (const auto& [id, group] : graph.groups()) check_promoted(graph, *group, diagnostics);
  check_instances(document_scope(graph), diagnostics);
  return diagnostics;
}

}  // namespace hw
