#include "app/models/graph/verdicts.h"

#include "app/document/text.h"
#include "engine/graph/flatten.h"
#include "engine/graph/scope.h"

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

/// The wire of the document that a wire of the flattened graph is part of. Nothing: it lies in a group.
std::optional<Link> document_link(const Graph& document, const Link& flat) {
  const auto is_inside = [](const std::string& id) { return id.find('/') != id.npos; };
  if (!is_inside(flat.from) && !is_inside(flat.to)) return flat;
  const Scope scope = document_scope(document);
  for (const Link& link : document.links_into(flat.to.substr(0, flat.to.find('/'))))
    if (flat_link(scope, link) == flat) return link;
  return std::nullopt;
}

}  // namespace

QVariantList wrong_wires(const Graph& document, const Validator& validator) {
  QVariantList wrong;
  for (const Diagnostic& d : validator.all()) {
    if (!d.link || d.severity != Severity::error) continue;
    const auto link = document_link(document, *d.link);
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
