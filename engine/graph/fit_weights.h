// Loaded weights against the parameters of a graph: dtypes and sizes, all or nothing.
#pragma once

#include "engine/core/tensor.h"
#include "engine/graph/validate.h"

namespace hw {

/// Weights as the graph's parameters take them.
struct FittedWeights {
  std::map<std::string, Tensor> tensors;     // all of them; nothing when there are problems
  std::map<std::string, DType> conversions;  // of those, what is still to be converted, and to which dtype
  std::vector<Diagnostic> problems;          // HW-D003: dtype; HW-F005: sizes; by node and parameter
  std::vector<std::string> notes;            // a line for each conversion
};

/// Compares loaded weights with the parameters of the graph ("node.name"), all before any is taken. A tensor of another
/// dtype is refused with remedies, unless the parameter's format says to convert. Tensors of no parameter are kept as
/// they are. Nodes whose parameters cannot be known (an error upstream) are not compared. Quick: reads no element.
FittedWeights fit_weights(const Graph& graph, const Validator& validator, std::map<std::string, Tensor> weights);

/// Converts what fit_weights said, each tensor to nearest even: as many bytes as they have are read and written.
std::map<std::string, Tensor> converted(FittedWeights fitted);

/// The problems as one error: the first, and how many more there are. Asserts that there are some.
Error as_error(const std::vector<Diagnostic>& problems);

}  // namespace hw
