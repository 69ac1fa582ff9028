// Dtypes of parameters: those that the graph stores in a format of their own.
#pragma once

#include <functional>

#include "engine/graph/check/check_tie.h"

namespace hw {

/// HW-D003 for each parameter that is stored in another dtype than its node computes with and is not cast; HW-P002
/// (warning) for a format of no parameter. `inputs` gives the types of a node's wired inputs. Of an untied node.
std::vector<Diagnostic> check_weight_formats(const Graph& graph, const Node& node,
                                             const std::function<InputTypes(const Node&)>& inputs);

/// A parameter whose dtype is not what its node computes with.
struct WeightClash {
  const Node& node;
  const WeightDecl& decl;
  std::string weight;
  DType stored, computed;
};
/// HW-D003 with its remedies. `before`: edits that come first in each; `has`: " is stored in " or " is loaded as ".
Diagnostic weight_clash(const Graph& graph, const WeightClash& c, const Edits& before, const std::string& has);

}  // namespace hw
