#include "engine/graph/check_instances.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/graph/scope.h"

namespace hw {
namespace {

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
      d.reason =
          "The group " + (group.title.empty() ? group.id : group.title) + " promotes no parameter \"" + param + "\".";
      if (!scope.outer) d.remedies.push_back({"Remove it", {SetParam{node.id, param, std::nullopt}}});
      diagnostics.push_back(std::move(d));
    }
    check_instances(*inside, diagnostics);
  }
}

}  // namespace

std::vector<Diagnostic> check_instances(const Graph& graph) {
  std::vector<Diagnostic> diagnostics;
  check_instances(document_scope(graph), diagnostics);
  return diagnostics;
}

}  // namespace hw
