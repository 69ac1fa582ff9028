#include "engine/graph/weights/foreign_names.h"

#include <algorithm>

#include "engine/core/tensor_rows.h"
#include "engine/graph/groups/scope.h"

namespace hw {
namespace {

using Tensors = std::map<std::string, Tensor>;

/// The names of nodes in files, by id. Where two would have one name, they go by their ids.
std::map<std::string, std::string> names_by_id(const Graph& flat) {
  std::map<std::string, std::string> names;
  std::map<std::string, int> uses;
  for (const auto& [id, node] : flat.nodes()) {
    // An output of a group has the name of the instance; it has no weights.
    const bool is_layer = !node.name.empty() && node.type != kOutputType;
    const std::string& name = names[id] = is_layer ? node.name : id;
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

/// The place of the dot between a node and its weight in "node.weight" or "node.weight#state".
size_t dot_of(std::string_view key) {
  return key.rfind('.', key.find('#'));
}

/// "node.weight", or "node.weight#state", with what stands before the state replaced as `exact` says, else the node's
/// name as `names` does. What would have the name of one that `exact` names is "unmapped:" and its own.
Tensors renamed(Tensors weights, const std::map<std::string, std::string>& exact,
                const std::map<std::string, std::string>& names) {
  Tensors all;
  for (auto next = weights.begin(); next != weights.end();) {
    const auto entry = next++;
    const size_t state = std::min(entry->first.size(), entry->first.find('#'));
    const auto found = exact.find(entry->first.substr(0, state));
    if (found == exact.end()) continue;
    auto taken = weights.extract(entry);
    taken.key() = found->second + taken.key().substr(state);
    all.insert(std::move(taken));
  }
  while (!weights.empty()) {
    auto entry = weights.extract(weights.begin());
    const size_t dot = dot_of(entry.key());
    std::string key = entry.key();
    if (const auto name = dot == key.npos ? names.end() : names.find(key.substr(0, dot)); name != names.end())
      key = name->second + key.substr(dot);
    const bool is_taken = all.contains(key) || all.contains(key + std::string(kTransposed));
    entry.key() = is_taken ? "unmapped:" + entry.key() : key;
    all.insert(std::move(entry));
  }
  return all;
}

/// "weight" of a file becomes "weight^T", the name that weight_names has for its owner, and its states alike.
Tensors turned_as_named(const std::map<std::string, std::string>& exact, Tensors tensors, Turning turning) {
  for (const auto& [tensor, parameter] : exact) {
    if (!tensor.ends_with(kTransposed)) continue;
    const std::string stored(name_in_file(tensor));
    for (auto next = tensors.lower_bound(stored); next != tensors.end() && next->first.starts_with(stored);) {
      const auto entry = next++;
      const std::string state = entry->first.substr(stored.size());  // "#adam_m"
      if (!state.empty() && state[0] != '#') continue;
      if (turning == Turning::matrices) {
        if (entry->second.dims().size() != 2) continue;
        entry->second = transposed(entry->second);
      }
      auto taken = tensors.extract(entry);
      taken.key() = tensor + state;
      tensors.insert(std::move(taken));
    }
  }
  return tensors;
}

}  // namespace

bool counts_batches(std::string_view tensor) {
  return tensor.ends_with(".num_batches_tracked");
}

NodeNames::NodeNames(const Graph& flat) {
  for (const auto& [id, name] : names_by_id(flat)) ids_[name] = id;
}

std::string NodeNames::parameter_of(const std::string& tensor) const {
  const size_t dot = dot_of(tensor);
  const auto id = dot == tensor.npos ? ids_.end() : ids_.find(tensor.substr(0, dot));
  return id == ids_.end() ? tensor : id->second + tensor.substr(dot);
}

std::string_view name_in_file(std::string_view tensor) {
  return tensor.ends_with(kTransposed) ? tensor.substr(0, tensor.size() - kTransposed.size()) : tensor;
}

std::map<std::string, std::string> tensor_owners(const Graph& flat) {
  const NodeNames names(flat);
  std::map<std::string, std::string> owners;
  for (const auto& [parameter, tensor] : flat.weight_names) {
    const std::string stored(name_in_file(tensor));
    std::string& owner = owners[stored];
    if (owner.empty() || names.parameter_of(stored) == parameter) owner = parameter;
  }
  return owners;
}

void add_own_names(const Graph& flat, const Tensors& weights, std::map<std::string, std::string>& weight_names) {
  const NodeNames names(flat);
  std::map<std::string, std::string> own;
  for (const auto& [parameter, tensor] : weight_names) {
    const std::string stored(name_in_file(tensor)), called = names.parameter_of(stored);
    if (weights.contains(called)) own.emplace(called, stored);
  }
  weight_names.merge(own);
}

Tensors with_foreign_names(const Graph& flat, Tensors weights) {
  std::map<std::string, std::string> exact;
  for (const auto& [stored, parameter] : tensor_owners(flat)) exact[parameter] = flat.weight_names.at(parameter);
  Tensors named = renamed(std::move(weights), exact, names_by_id(flat));
  for (auto next = named.begin(); next != named.end();) {
    const auto entry = next++;
    const size_t state = std::min(entry->first.size(), entry->first.find('#'));
    const std::string tensor = entry->first.substr(0, state);
    if (!tensor.ends_with(kTransposed) || entry->second.dims().size() != 2) continue;
    named.insert_or_assign(std::string(name_in_file(tensor)) + entry->first.substr(state), transposed(entry->second));
    named.erase(entry);
  }
  return named;
}

Tensors with_node_ids(const Graph& flat, Tensors weights, Turning turning, std::set<std::string>* shared) {
  const std::map<std::string, std::string> owners = tensor_owners(flat);
  std::map<std::string, std::string> exact;
  for (const auto& [stored, parameter] : owners) exact[flat.weight_names.at(parameter)] = parameter;
  Tensors all = renamed(turned_as_named(exact, std::move(weights), turning), exact, NodeNames(flat).ids());
  for (const auto& [parameter, tensor] : flat.weight_names) {
    const std::string& owner = owners.at(std::string(name_in_file(tensor)));
    const auto found = all.find(owner);
    if (found == all.end() || all.contains(parameter)) continue;
    const bool turns = turning == Turning::matrices && found->second.dims().size() == 2 &&
                       tensor.ends_with(kTransposed) != flat.weight_names.at(owner).ends_with(kTransposed);
    all.emplace(parameter, turns ? transposed(found->second) : found->second);
    if (shared) shared->insert(parameter);
  }
  return all;
}

}  // namespace hw
