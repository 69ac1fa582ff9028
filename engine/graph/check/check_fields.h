// Fields of a graph file that are not read: of the graph itself, of a node, a group, a frame, a promoted parameter.
#pragma once

#include "engine/graph/check/diagnostic.h"

namespace hw {

/// HW-P002 for each field of the node that is not read. An error where its name is near to one that a node has; else a
/// warning: it may be a later version's, and is kept. Names that begin with "_" or "$" and those of remarks ("comment",
/// "description", "note", "metadata") are passed over.
std::vector<Diagnostic> check_fields(const Node& node);

/// The same of all that is no node, in the document and in its groups. Diagnostics stand at no node.
std::vector<Diagnostic> check_document_fields(const Graph& document);

}  // namespace hw
