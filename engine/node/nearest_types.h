// The node types whose names are nearest to one that does not exist.
#pragma once

#include <string_view>
#include <vector>

#include "engine/node/node_type.h"

namespace hw {

/// At most `most`, nearest first: those that share the longest run of characters with `name`, three at least, upper and
/// lower case being the same; of these the ones with the fewest characters besides. Empty: none is near.
std::vector<const NodeType*> nearest_types(std::string_view name, size_t most);

}  // namespace hw
