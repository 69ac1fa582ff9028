// check_instances: what is wrong with instances of groups that the flattened graph does not show.
#pragma once

#include "engine/graph/diagnostic.h"

namespace hw {

/// Values that are not of promoted parameters: HW-P002, a warning. Nodes by path.
std::vector<Diagnostic> check_instances(const Graph& graph);

}  // namespace hw
