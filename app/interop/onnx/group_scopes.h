// Modules and functions of a model as groups.
#pragma once

#include "app/interop/onnx/import_graph.h"

namespace hw::interop {

/// Nodes that lie in one scope become a group, groups in groups; scopes that are alike in all but the values of their
/// weights and the numbers of their constants are instances of one. Not those of fewer than three nodes, nor those that
/// something outside stands between. Every level is laid out. The graph computes the same; weights and outputs go by
/// the paths of the flattened graph.
ImportedModel with_groups(ImportedModel flat);

}  // namespace hw::interop
