// The interface of a group: what its instances have for sockets and parameters.
#pragma once

#include "engine/graph/graph.h"

namespace hw {

/// Its title, or its id where it has none.
std::string title_of(const Group& group);
/// The Input and Output nodes of a document, or of a group's graph, from top to bottom as they lie in it.
std::vector<const Node*> sockets_of(const Graph& graph);

/// Sockets are the group's Input and Output nodes, from top to bottom as they lie in it. Parameters are those that it
/// promotes, their defaults the values in the definition; what is promoted without effect is left out. Title, category,
/// summary (the description's first sentence), documentation and keywords are the group's. `document` has the
/// definitions.
NodeDecl interface_of(const Graph& document, const Group& group);

/// The parameter that a group promotes, as the node in it declares it, and with its value there; nothing: it promotes
/// what is not there.
std::optional<ParamDecl> declared_param(const Graph& document, const Group& group, const PromotedParam& promoted);

/// What a node has for sockets and parameters: of its type with its parameters, or of its group. Nothing: neither is
/// there.
std::optional<Declaration> declaration_of(const Graph& document, const Node& node);

}  // namespace hw
