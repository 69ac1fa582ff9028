// Names of weights in files: those that nodes have in the tool that they come from.
#pragma once

#include <set>
#include <string_view>

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

/// "node.weight" becomes what Graph::weight_names says, else "layer1.0.conv1.weight" where the node's Node::name is
/// "layer1.0.conv1"; states of optimisers alike. Of a flattened graph. Nodes that would have one name go by their ids.
/// What it names as a transpose is transposed. A tensor that weight_names gives to several, as it lies or turned, is
/// the first one's (see tensor_owners); the others have names of their own.
std::map<std::string, Tensor> with_foreign_names(const Graph& flat, std::map<std::string, Tensor> weights);

/// PyTorch's batch norms count their batches in "num_batches_tracked", which no node has.
bool counts_batches(std::string_view tensor);

/// The name of a tensor in its file: without kTransposed.
std::string_view name_in_file(std::string_view tensor);

/// The parameters that tensors of Graph::weight_names are written for, by name_in_file(): the one whose node has its
/// name, else the first.
std::map<std::string, std::string> tensor_owners(const Graph& flat);

/// What a parameter is called anyway becomes its entry in weight_names, where these give the name to another, too:
/// neither is then written over the other. `weights`: the parameters that there are.
void add_own_names(const Graph& flat, const std::map<std::string, Tensor>& weights,
                   std::map<std::string, std::string>& weight_names);

/// Whether tensors that weight_names names as transposes are transposed. What lies beside them, such as scales, is not.
enum class Turning { matrices, nothing };

/// The way back; states of optimisers alike. A tensor that weight_names gives to several is there for each that has
/// none of its own name: a weight that two layers share is stored once. What weight_names names as a transpose and is
/// no matrix stays as it is. A tensor that has the name of a parameter which weight_names gives another is "unmapped:"
/// and its name. `shared`: where not null, the parameters that were given another's tensor.
std::map<std::string, Tensor> with_node_ids(const Graph& flat, std::map<std::string, Tensor> weights,
                                            Turning turning = Turning::matrices,
                                            std::set<std::string>* shared = nullptr);

}  // namespace hw
