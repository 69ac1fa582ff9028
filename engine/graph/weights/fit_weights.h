// Loaded weights against the parameters of a graph: names, sizes and dtypes, all or, where that is asked for, what
// fits.
#pragma once

#include <set>

#include "engine/core/tensor.h"
#include "engine/graph/check/validate.h"

namespace hw {

/// Weights as the graph's parameters take them.
struct FittedWeights {
  std::map<std::string, Tensor> tensors;      // those that are taken; nothing when there are problems
  std::map<std::string, DType> conversions;   // of those, what is still to be converted, and to which dtype
  std::map<std::string, Tensor> scales = {};  // of f8 tensors among the conversions: see weight_scale.h
  std::set<std::string> turned = {};          // of these, whose transposes lie in the file and are scaled there
  /// HW-D003: dtype; HW-F005: sizes, a parameter that the weights lack, tensors of no parameter; by node and parameter.
  std::vector<Diagnostic> problems;
  std::vector<std::string> notes;  // a line for each conversion; when what fits is taken, for each tensor that does not
};

enum class WeightsTaken : uint8_t { all_or_nothing, what_fits };
/// Whether a tensor of another float dtype is refused, unless the parameter's format says to convert, or converted.
enum class OtherDtypes : uint8_t { refused, converted };

/// Compares loaded weights with the parameters of the graph ("node.name", or by the node's name in another tool), all
/// before any is taken. A tensor of another dtype is refused with remedies, or converted as `others` and the
/// parameter's format say. Missing may be what the Train node does not reach; without one, what no node reaches that
/// only takes. States of an optimiser ("node.name#adam_m") and masters ("node.name.master") are left out, so that a
/// checkpoint is weights, too. Nodes whose parameters cannot be known (an error upstream) are not compared. Quick:
/// reads no element.
FittedWeights fit_weights(const Graph& graph, const Validator& validator, std::map<std::string, Tensor> weights,
                          WeightsTaken taken = WeightsTaken::all_or_nothing, OtherDtypes others = OtherDtypes::refused);

/// The problems as one error: the first, then the names of all that is missing, superfluous, and of other sizes.
/// Asserts that there are some.
Error as_error(const std::vector<Diagnostic>& problems);

}  // namespace hw
