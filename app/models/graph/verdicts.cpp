#include "app/models/graph/verdicts.h"

#include "app/document/text.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/scope.h"

namespace hw::app {

NodeVerdict node_verdict(const Graph& flat, const Validator& validator, const std::vector<Diagnostic>& findings,
                         const std::string& node, bool known) {
  NodeVerdict verdict{known ? QStringLiteral("ok") : QStringLiteral("unknown"), {}};
  Severity worst = Severity::info;
  const auto mark = [&](const Diagnostic& d) {
    if (d.severity >= worst) return;  // errors come first in the enum
    worst = d.severity;
    verdict = {worst == Severity::error ? QStringLiteral("error") : QStringLiteral("warning"), to_q(d.reason)};
  };
  for (const Diagnostic& d : validator.of(node)) mark(d);
  for (const std::string& id : nodes_at(flat, node))
    if (id != node)
      for (const Diagnostic& d : validator.of(id)) mark(d);
  const std::string below = node + "/";
  for (const Diagnostic& d : findings)
    if (d.node == node || d.node.starts_with(below)) mark(d);
  return verdict;
}

namespace {

/// The wire at the scope that a wire of the flattened graph is part of. Nothing: it lies elsewhere.
std::optional<Link> link_at(const Scope& scope, const Link& flat) {
  if (!flat.to.starts_with(scope.prefix)) return std::nullopt;
  const size_t at = scope.prefix.size();
  for (const Link& link : scope.graph->links_into(flat.to.substr(at, flat.to.find('/', at) - at)))
    if (flat_link(scope, link) == flat) return link;
  return std::nullopt;
}

}  // namespace

QVariantList wrong_wires(const Scope& scope, const Validator& validator) {
  QVariantList wrong;
  for (const Diagnostic& d : validator.all()) {
    if (!d.link || d.severity != Severity::error) continue;
    const auto link = link_at(scope, *d.link);
    if (!link) continue;
    QStringList remedies;
    for (const Remedy& r : d.remedies) remedies.append(to_q(r.label));
    wrong.append(QVariantMap{{"from", to_q(link->from)},
                             {"fromSocket", to_q(link->from_socket)},
                             {"to", to_q(link->to)},
                             {"toSocket", to_q(link->to_socket)},
                             {"code", to_q(d.code)},
                             {"reason", to_q(d.reason)},
                             {"expected", to_q(d.expected)},
                             {"got", to_q(d.got)},
                             {"remedies", remedies}});
  }
  return wrong;
}

}  // namespace hw::app
