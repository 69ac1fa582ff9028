#include "engine/compare/module_names.h"

#include <algorithm>

#include "engine/graph/groups/scope.h"

namespace hw {

std::string without_wrapper(const std::string& tensor) {
  constexpr std::string_view kModule = "module.";
  return tensor.starts_with(kModule) ? tensor.substr(kModule.size()) : tensor;
}

std::string_view instance_of(const Node& node) {
  const size_t slash = node.id.rfind('/');
  return node.type == kOutputType && slash != node.id.npos ? std::string_view(node.id).substr(0, slash)
                                                           : std::string_view();
}

ModuleNames::ModuleNames(const Graph& flat, const Dump& dump) {
  for (const auto& [tensor, value] : dump) {
    const std::string name = without_wrapper(tensor);
    for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1))
      modules_.insert(name.substr(0, dot));
    modules_.insert(name);
  }
  for (const auto& [id, node] : flat.nodes()) {
    const std::string_view instance = instance_of(node);
    if (!instance.empty()) instances_[std::string(instance)] = node.name;
  }
  for (const auto& [id, node] : flat.nodes()) names_[id] = without_use(node.name.empty() ? around(id) : node.name);
}

std::string ModuleNames::around(std::string id) const {
  for (size_t slash = id.rfind('/'); slash != id.npos; slash = id.rfind('/')) {
    id.resize(slash);
    if (const auto found = instances_.find(id); found != instances_.end() && !found->second.empty())
      return found->second;
  }
  return {};
}

std::string ModuleNames::without_use(const std::string& name) const {
  std::string path;
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    std::string part = path + name.substr(begin, end - begin);
    const size_t last = part.find_last_not_of("0123456789");
    const bool is_numbered = last != part.npos && last > path.size() && last + 1 < part.size() && part[last] == '_';
    if (is_numbered && !modules_.contains(part) && modules_.contains(part.substr(0, last))) part.resize(last);
    path = std::move(part);
    if (end < name.size()) path += '.';
    begin = end + 1;
  }
  return path;
}

}  // namespace hw
