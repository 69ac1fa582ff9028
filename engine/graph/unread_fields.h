// Fields and values of a node in a file that this version does not know or cannot hold as a parameter's value:
// Node::extra.
#pragma once

#include <span>

#include "engine/graph/graph.h"

namespace hw {

/// Values of parameters, known or not, that are no ParamValue (objects, null, lists of mixed kinds), as JSON text.
std::map<std::string, std::string> unread_params(const Node& node);

/// Takes the value out of what is kept for the file; nothing where there is none.
void drop_unread_param(Node& node, const std::string& param);

/// Names of the fields in `extra`, what a file says beside the fields that are read, that are not in `known`.
std::vector<std::string> unread_fields(const std::string& extra, std::span<const std::string> known);

/// Fields of a node in a file.
std::span<const std::string> node_fields();

}  // namespace hw
