// Names of ONNX as ids of nodes and groups.
#pragma once

#include <string>

namespace hw::interop {

/// [a-z0-9_] of a name, its last 60 characters at most; "" where nothing is left.
std::string as_id(const std::string& name);

}  // namespace hw::interop
