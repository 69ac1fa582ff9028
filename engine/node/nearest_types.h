// The node types whose names are nearest to one that does not exist.
#pragma once

#include <string_view>
#include <vector>

#include "engine/node/node_type.h"

namespace hw {

/// At most `most`, nearest first, as nearest_names says of their ids. Empty: none is near.
std::vector<const NodeType*> nearest_types(std::string_view name, size_t most);

}  // namespace hw
