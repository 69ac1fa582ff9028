// The subject of a gradient check: a program with its adjoint, of one scalar.
#pragma once

#include <map>
#include <set>

#include "engine/graph/graph.h"

namespace hw {

/// A value that the loss is differentiated by.
struct GradBlock {
  bool is_parameter = false;
  std::string node;  // whose output or parameter it is; of an example: the node whose input it is
  std::string name;  // "encoder.y", "mlp.layer_0"
  ValueId value = kNoValue;
  ValueId gradient = kNoValue;  // none: no adjoint reaches it, which says that its gradient is 0
  double unscale = 1;           // what its stored gradient must be multiplied by
};

struct GradSubject {
  std::shared_ptr<const Program> program;
  ValueId loss = kNoValue;
  std::vector<GradBlock> blocks;
  uint64_t seed = 0;
  std::map<std::string, Tensor> inputs;  // all of the program's, by name
  std::map<std::string, Tensor> states;  // written over what the seed gives
};

/// The cone of the Train node's loss, without loss scaling: all trainable parameters, and the wires that depend on one.
/// Errors: those of plan_training.
Result<GradSubject> grad_subject(const Graph& graph, Assets& assets);

/// Keeps what these nodes read and make, and their parameters.
void select_nodes(GradSubject& subject, const std::set<std::string>& nodes);

/// An example of a node type in f64, in training mode: Σ outputs · fixed random weights, by every float input and every
/// trainable parameter. Errors: what its shape or lowering reports.
Result<GradSubject> example_subject(const NodeType& type, const Example& example);

}  // namespace hw
