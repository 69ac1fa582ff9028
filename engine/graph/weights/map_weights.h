// Weights of another tool against the parameters of a graph: which tensor is which parameter.
#pragma once

#include "engine/core/tensor.h"
#include "engine/graph/check/validate.h"

namespace hw {

/// How a tensor was found, from the surest on. `published`: by the table of a published network or block (see
/// published_names.h), before `name` where the network fits. `similar_name`: the same words, as far as the shorter of
/// the two names goes, whatever stands between them, with the sizes of the parameter; words of other tools are known
/// (gamma, beta, moving_mean); or those of the module that the node's group is, in their order, where only one tensor
/// has them. `shape`: the only one left of its sizes, and the only parameter left of them; or that of an embedding's
/// table for the only other matrix of its sizes, where none is left. `order`: as many are left as parameters of these
/// sizes; they follow each other by name, numbers as numbers, the parameters as the graph runs, none of them beside
/// another, and those of norms only where names differ in numbers alone; tensors of one module of the file stay those
/// of one node.
enum class MappedBy : uint8_t { nothing, given, name, published, similar_name, shape, order };
std::string_view name(MappedBy by);  // "similar name"; nothing: "none"

struct MappedWeight {
  std::string parameter;  // "node.weight" of the flattened graph
  DType dtype = DType::f32;
  Dims dims;           // of the parameter, and the dtype that it is stored in
  std::string tensor;  // empty: none was found
  MappedBy by = MappedBy::nothing;
  bool is_turned = false;  // the tensor is the parameter's transpose

  /// As Graph::weight_names has it: see kTransposed.
  std::string stored_name() const;
};

struct WeightMapping {
  std::vector<MappedWeight> parameters;  // as the graph runs
  std::vector<std::string> unused;       // tensors that became no parameter
  std::string network, differs;          // the published network whose names the file has: see PublishedNames

  /// For Graph::weight_names: those whose tensor is not found by its name alone, and another name for a parameter
  /// without a tensor whose name another has taken.
  std::map<std::string, std::string> names(const Graph& flat) const;
};

/// Each parameter with a tensor, each tensor once at most but for weights that two layers share: those that `given`
/// names (parameter to tensor; what is not there is passed over), then by the ways up to `last`, in their order.
/// `tensors`: by their names in the file; states of optimisers ("#") are no candidates. Reads no element. `flat`: a
/// flattened graph.
WeightMapping map_weights(const Graph& flat, const Validator& validator, const std::map<std::string, Tensor>& tensors,
                          const std::map<std::string, std::string>& given, MappedBy last);

}  // namespace hw
