// The modules of another program that the nodes of a graph belong to, by their names.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "engine/compare/dump.h"
#include "engine/graph/graph.h"

namespace hw {

/// "layer.0" of "module.layer.0".
std::string without_wrapper(const std::string& tensor);

/// The path of the instance, where the node of a flattened graph is an output of its group; "" else.
std::string_view instance_of(const Node& node);

/// The names of the nodes of a flattened graph as those of a dump's modules. A node of a group without a name is of the
/// group's module; where PyTorch's exporter has numbered the uses of a module, "layer1.0.relu_1", and the dump has no
/// such module, it is of the one that is used.
class ModuleNames {
 public:
  ModuleNames(const Graph& flat, const Dump& dump);
  /// "": a node of no module.
  const std::string& operator[](const std::string& node) const { return names_.at(node); }

 private:
  std::string around(std::string id) const;
  std::string without_use(const std::string& name) const;

  std::set<std::string> modules_;                 // of the dump, with those around them
  std::map<std::string, std::string> instances_;  // their names, by path
  std::map<std::string, std::string> names_;      // by node
};

}  // namespace hw
