#include "engine/graph/foreign_names.h"

namespace hw {
namespace {

using Tensors = std::map<std::string, Tensor>;

/// The names of nodes in files, by id. Where two would have one name, they go by their ids.
std::map<std::string, std::string> names_by_id(const Graph& flat) {
  std::map<std::string, std::string> names;
  std::map<std::string, int> uses;
  for (const auto& [id, node] : flat.nodes()) {
    const std::string& name = names[id] = node.name.empty() ? id : node.name;
    ++uses[name];
  }
  for (bool changed = true; changed;) {  // an id may be another node's name
    changed = false;
    for (auto& [id, name] : names) {
      if (name == id || uses.at(name) == 1) continue;
      --uses.at(name);
      ++uses[id];
      name = id;
      changed = true;
    }
  }
  return names;
}

/// "node.weight", or "node.weight#state", with the node's name replaced. `names`: by what it is now.
Tensors renamed(Tensors weights, const std::map<std::string, std::string>& names) {
  Tensors all;
  while (!weights.empty()) {
    auto entry = weights.extract(weights.begin());
    const std::string& key = entry.key();
    const size_t dot = key.rfind('.', key.find('#'));
    const auto name = dot == key.npos ? names.end() : names.find(key.substr(0, dot));
    if (name != names.end()) entry.key() = name->second + key.substr(dot);
    all.insert(std::move(entry));
  }
  return all;
}

}  // namespace

Tensors with_foreign_names(const Graph& flat, Tensors weights) {
  return renamed(std::move(weights), names_by_id(flat));
}

Tensors with_node_ids(const Graph& flat, Tensors weights) {
  std::map<std::string, std::string> ids;
  for (const auto& [id, name] : names_by_id(flat)) ids[name] = id;
  return renamed(std::move(weights), ids);
}

}  // namespace hw
