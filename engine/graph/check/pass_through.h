// Whether a node passes its input through unchanged.
#pragma once

#include "engine/graph/groups/scope.h"

namespace hw {

/// A corner of a wire, or a socket of a group: its output is its input, of one type.
inline bool is_pass_through(const Node& node) {
  return node.type == kInputType || node.type == kOutputType || node.type == kRerouteType;
}

}  // namespace hw
