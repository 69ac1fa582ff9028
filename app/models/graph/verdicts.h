// Diagnostics of the nodes and wires of a graph, as the canvas shows them.
#pragma once

#include <QString>
#include <QVariantList>

#include "engine/graph/check/validate.h"
#include "engine/graph/groups/scope.h"

namespace hw::app {

struct NodeVerdict {
  QString status;  // "ok", "warning", "error", "unknown" (a placeholder)
  QString text;    // the first of the worst reasons
};

/// The verdict on an instance of a group is that on its nodes too, which are in `flat`. `findings`: what the validator
/// does not see. `known`: the node's type is.
NodeVerdict node_verdict(const Graph& flat, const Validator& validator, const std::vector<Diagnostic>& findings,
                         const std::string& node, bool known);

/// {from, fromSocket, to, toSocket, code, reason, expected, got, remedies (labels)} a wire of the graph at `scope` that
/// is an error. The verdict of an instance includes those inside.
QVariantList wrong_wires(const Scope& scope, const Validator& validator);

}  // namespace hw::app
