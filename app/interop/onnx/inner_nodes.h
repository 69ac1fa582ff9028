// Operators of functions and inner graphs, as they are where these are called.
#pragma once

#include <functional>

#include "app/interop/onnx/model.h"

namespace hw::interop {

using NameOf = std::function<std::string(const std::string&)>;

/// The operator with each name that is not empty as `name` gives it, those in the graphs of If, Loop and Scan alike.
OnnxNode with_values_renamed(OnnxNode n, const NameOf& name);

/// The operator, and those in its graphs, with the attributes that are those of the call of a function around it.
OnnxNode with_attributes_of_call(OnnxNode n, const std::map<std::string, OnnxAttribute>& of_call);

/// The operators of a graph that another operator has. What the graph makes itself gets `prefix`, its initializers
/// `of_initializers`, which all turns of a loop have in common; what it reads from outside keeps its name.
struct InnerGraph {
  InnerGraph(const OnnxGraph& graph, const std::string& prefix, const std::string& of_initializers);

  std::vector<OnnxNode> nodes;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, StoredTensor> initializers;
  std::map<std::string, std::string> unread;  // see OnnxGraph::unread
};

}  // namespace hw::interop
