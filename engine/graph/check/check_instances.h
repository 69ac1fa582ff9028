// check_instances: what is wrong with a document, and with instances of its groups, that the flattened graph does not
// show.
#pragma once

#include "engine/graph/check/diagnostic.h"

namespace hw {

/// Errors: a value of an instance whose group promotes no such parameter (HW-P002), or that no parameter can have
/// (HW-P001); a definition that promotes what is not there (HW-P002). A warning: two of its parameters set the same.
/// And the diagnostics of check_fields and check_document_fields. Nodes by path.
std::vector<Diagnostic> check_instances(const Graph& graph);

/// Those errors that keep `node` of the flattened graph from running: of definitions, and of instances that it depends
/// on. Those settings would have no effect.
std::vector<Diagnostic> blocking_instances(const Graph& graph, const Graph& flat, const std::string& node);

}  // namespace hw
