// What the nodes of a graph name on disk, and how it is said when that is missing.
#pragma once

#include "engine/graph/diagnostic.h"

namespace hw {

/// A path parameter that is not empty: the validator reports those that are.
struct AssetRef {
  std::string node, param, path;
  Kind kind;  // of what the node makes of it
};
/// All of them, by node.
std::vector<AssetRef> asset_refs(const Graph& graph);

/// `error` (HW-A00x) as a diagnostic at the parameter. A data set that is missing is a warning: data sets do not travel
/// with graphs.
Diagnostic asset_problem(const AssetRef& ref, const Error& error);

}  // namespace hw
