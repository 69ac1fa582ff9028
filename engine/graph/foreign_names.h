// Names of weights in files: those that nodes have in the tool that they come from.
#pragma once

#include "engine/core/tensor.h"
#include "engine/graph/graph.h"

namespace hw {

/// The nodes of a flattened graph by what they are called in files: Node::name, or the id where there is none or
/// another node has the same.
class NodeNames {
 public:
  explicit NodeNames(const Graph& flat);
  const std::map<std::string, std::string>& ids() const { return ids_; }  // by name
  /// "layer1.0.conv1.weight": "node.weight". Graph::weight_names is not asked. What names no node stays as it is.
  std::string parameter_of(const std::string& tensor) const;

 private:
  std::map<std::string, std::string> ids_;
};

/// How Graph::weight_names says that a file has the transpose of a matrix: "attn.c_attn.weight^T", as of the Conv1D of
/// GPT-2 and the Dense of Keras, whose axes are [in, out].
inline constexpr std::string_view kTransposed = "^T";

/// The tensors of a file, those whose transpose weight_names names as that, by its name there; states of optimisers
/// alike. What is no matrix stays as it is.
std::map<std::string, Tensor> with_transposes(const Graph& flat, std::map<std::string, Tensor> tensors);

/// "node.weight" becomes what Graph::weight_names says, else "layer1.0.conv1.weight" where the node's Node::name is
/// "layer1.0.conv1"; states of optimisers alike. Of a flattened graph. Nodes that would have one name go by their ids.
/// What it names as a transpose is transposed. A tensor that weight_names gives to several is the first one's (see
/// tensor_owners); the others have names of their own.
std::map<std::string, Tensor> with_foreign_names(const Graph& flat, std::map<std::string, Tensor> weights);

/// PyTorch's batch norms count their batches in "num_batches_tracked", which no node has.
bool counts_batches(std::string_view tensor);

/// Of each tensor of Graph::weight_names the parameter that it is written for: the one whose node has its name, else
/// the first.
std::map<std::string, std::string> tensor_owners(const Graph& flat);

/// The way back, with_transposes first. A tensor that weight_names gives to several is there for each that has none of
/// its own name: a weight that two layers share is stored once. A tensor that has the name of a parameter which
/// weight_names gives another is "unmapped:" and its name.
std::map<std::string, Tensor> with_node_ids(const Graph& flat, std::map<std::string, Tensor> weights);

}  // namespace hw
