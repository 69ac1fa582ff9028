// Groups as local functions of ONNX: a definition is a function, an instance a call.
#pragma once

#include "app/interop/onnx/model.h"
#include "engine/graph/graph.h"

namespace hw::interop {

/// The instances that a node of the flattened graph lies in, from the outermost: their paths, and their groups' ids.
std::vector<OnnxScope> scopes_of(const Graph& document, const std::string& path);

/// What became of the instances of a group.
struct GroupFunction {
  std::string name;                     // of the function
  std::string group;                    // its title
  std::vector<std::string> instances;   // paths
  std::vector<std::string> attributes;  // in which they differ
};
struct InlinedInstance {
  std::string path, because;
};
struct LocalFunctions {
  std::vector<GroupFunction> functions;
  std::vector<InlinedInstance> inlined;
};

/// Puts the operators of each instance into a function, those of instances within it first. Operators of the model
/// know their scopes; `constants` are the initializers that no weights are: they go into the function, weights are
/// inputs of the call. Instances whose operators differ in values of attributes alone share a function that has these
/// as its own attributes; others have functions of their own. An instance that needs itself through operators outside
/// is inlined.
LocalFunctions make_local_functions(OnnxModel& model, const Graph& document, const std::set<std::string>& constants);

}  // namespace hw::interop
