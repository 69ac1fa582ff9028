#include "app/interop/onnx/group_scopes.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "app/interop/onnx/ids.h"
#include "app/interop/onnx/lay_out_nodes.h"
#include "app/interop/onnx/quantised_scopes.h"
#include "app/interop/onnx/shared_definitions.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/scope.h"
#include "engine/graph/weights/foreign_names.h"

namespace hw::interop {
namespace {

constexpr size_t kFewest = 3;  // nodes that are worth a group

/// "conv1" of "layer1.0.conv1" in "layer1.0"; "": it is not in there.
std::string inside(const std::string& path, const std::string& scope) {
  return path.starts_with(scope + ".") ? path.substr(scope.size() + 1) : "";
}

struct Tree {
  OnnxScope scope;
  std::vector<std::pair<std::string, size_t>> items;  // the id of a node, or "" and the index of a tree
};

class Grouping {
 public:
  explicit Grouping(ImportedModel& model) : model_(model), graph_(model.graph) {
    for (const auto& [name, tensor] : model.weights) {
      const size_t dot = name.find('.');
      const std::string& layer = graph_.find(name.substr(0, dot))->name;
      const auto exact = graph_.weight_names.find(name);
      file_name_[name] = exact != graph_.weight_names.end() ? exact->second
                         : layer.empty()                    ? ""
                                                            : layer + name.substr(dot);
    }
    graph_.weight_names.clear();
    trees_.emplace_back();
    std::unordered_map<std::string, size_t> known;
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      const ScopedNode& n = model.nodes[i];
      first_[n.id] = last_[n.id] = i;
      flat_of_[n.id] = {n.id};
      if (const std::string& owner = graph_.find(n.id)->tie; !owner.empty()) ties_.emplace_back(n.id, owner);
      path_[n.id] = n.id;
      size_t at = 0;
      std::string key;
      for (const OnnxScope& scope : n.scopes) {
        key += scope.path + "\n";
        const auto [found, is_new] = known.try_emplace(key, trees_.size());
        if (is_new) {
          trees_[at].items.emplace_back("", trees_.size());
          trees_.push_back({scope, {}});
        }
        at = found->second;
      }
      trees_[at].items.emplace_back(n.id, 0);
    }
  }

  void run() {
    size_t root = 0;  // a scope with all in it but the Inputs is no group
    for (std::optional<size_t> only = 0; only; only = only_tree(root)) root = *only;
    (void)collapsed(root, false);
    for (Group group : definitions_.groups() | std::views::values) {
      lay_out_nodes(group.graph);
      graph_.set_group(std::move(group));
    }
    lay_out_model(model_);
    const Graph flat = flatten(graph_);
    const NodeNames names(flat);
    Weights weights;
    for (auto& [name, tensor] : model_.weights) weights[moved(name)] = std::move(tensor);
    std::map<std::string, size_t> uses;  // of names in files: layers that share weights have one
    for (const auto& [name, file] : file_name_) ++uses[file];
    for (const auto& [name, file] : file_name_) {
      const std::string now = moved(name), read_as = names.parameter_of(file);
      if (!file.empty() && uses.at(file) == 1 && read_as != now && !weights.contains(read_as))
        graph_.weight_names[now] = file;
    }
    add_own_names(flat, weights, graph_.weight_names);
    model_.weights = std::move(weights);
    for (auto& [name, wire] : model_.outputs)
      if (const auto path = path_.find(wire.node); path != path_.end()) wire.node = path->second;
    for (auto& [weight, nodes] : model_.untied_weights)
      for (std::string& id : nodes) id = path_.at(id);
  }

 private:
  /// The tree that is all in a tree but Inputs; nothing: there is more.
  std::optional<size_t> only_tree(size_t index) const {
    std::optional<size_t> only;
    for (const auto& [id, tree] : trees_[index].items) {
      if (!id.empty() && graph_.find(id)->type == kInputType) continue;
      if (!id.empty() || only) return std::nullopt;
      only = tree;
    }
    return only;
  }

  /// What stands for a tree in the graph: its instance, or what was in it.
  std::vector<std::string> collapsed(size_t index, bool may_be_group) {
    std::vector<std::string> ids;
    const bool is_alone = trees_[index].items.size() == 1;  // a scope around another, and nothing else
    for (const auto& [id, tree] : trees_[index].items) {
      if (!id.empty()) {
        ids.push_back(id);
        continue;
      }
      for (std::string& inner : collapsed(tree, true)) ids.push_back(std::move(inner));
    }
    const OnnxScope scope = trees_[index].scope;
    if (!may_be_group || is_alone || ids.size() < kFewest || cuts_a_tie(ids) || is_interrupted(ids)) return ids;
    return {replaced(scope, ids)};
  }

  /// Whether one of two nodes that share weights would be inside and one outside.
  bool cuts_a_tie(const std::vector<std::string>& ids) const {
    if (ties_.empty()) return false;
    std::unordered_set<std::string> inside;
    for (const std::string& id : ids)
      for (const std::string& flat : flat_of_.at(id)) inside.insert(flat);
    return std::ranges::any_of(
        ties_, [&](const auto& tie) { return inside.contains(tie.first) != inside.contains(tie.second); });
  }

  /// Whether a node outside lies between them: the instance would depend on itself.
  bool is_interrupted(const std::vector<std::string>& ids) const {
    const std::unordered_set<std::string> set(ids.begin(), ids.end());
    size_t end = 0;
    for (const std::string& id : ids) end = std::max(end, last_.at(id));
    std::vector<std::string> open;
    std::unordered_set<std::string> seen;
    const auto follow = [&](const std::string& id, bool from_inside) {
      for (const Link& link : graph_.links_from(id)) {
        if (set.contains(link.to)) {
          if (!from_inside) return true;
          continue;
        }
        const auto first = first_.find(link.to);  // an Output of the graph has none, and leads nowhere
        if (first != first_.end() && first->second < end && seen.insert(link.to).second) open.push_back(link.to);
      }
      return false;
    };
    for (const std::string& id : ids) (void)follow(id, true);
    while (!open.empty()) {
      const std::string id = std::move(open.back());
      open.pop_back();
      if (follow(id, false)) return true;
    }
    return false;
  }

  /// Puts nodes into a group and gives the id of its instance.
  std::string replaced(const OnnxScope& scope, const std::vector<std::string>& ids) {
    Graph definition;
    std::unordered_map<std::string, std::string> local;
    for (const std::string& id : ids) {
      Node node = graph_.node(id);
      const std::string name = inside(node.name, scope.path);
      std::string stem = as_id(name.empty() ? std::string(group_of(node).value_or(node.type)) : short_name(name));
      if (stem.empty()) stem = "node";
      node.id = definition.find(stem) ? definition.fresh_id(stem) : stem;
      node.name = name;
      if (const auto owner = local.find(node.tie); owner != local.end()) node.tie = owner->second;
      local[id] = node.id;
      definition.add_node(std::move(node));
    }
    Node instance;
    const std::string short_id = as_id(short_name(scope.path)), stem = short_id.empty() ? "group" : short_id;
    const bool is_free = !graph_.find(stem) || local.contains(stem);  // what is in it has its name no more
    instance.id = is_free ? stem : graph_.fresh_id(stem);
    instance.name = scope.path;
    std::vector<Link> gone, outside;
    std::map<std::pair<std::string, std::string>, std::string> inputs;  // by source
    for (const std::string& id : ids) {
      for (const Link& link : graph_.links_into(id)) {
        gone.push_back(link);
        if (const auto from = local.find(link.from); from != local.end()) {
          definition.add_link({from->second, link.from_socket, local.at(id), link.to_socket});
          continue;
        }
        const auto [known, is_new] = inputs.try_emplace({link.from, link.from_socket});
        if (is_new) {
          known->second = add_socket(definition, "input", link.to_socket);
          outside.push_back({link.from, link.from_socket, instance.id, known->second});
        }
        definition.add_link({known->second, "y", local.at(id), link.to_socket});
      }
    }
    for (const std::string& id : ids) {
      std::map<std::string, std::string> outputs;
      for (const Link& link : graph_.links_from(id)) {
        if (local.contains(link.to)) continue;
        gone.push_back(link);
        const auto [known, is_new] = outputs.try_emplace(link.from_socket);
        if (is_new) {
          known->second = add_socket(definition, "output", link.from_socket);
          definition.add_link({local.at(id), link.from_socket, known->second, "x"});
        }
        outside.push_back({instance.id, known->second, link.to, link.to_socket});
      }
    }
    SharedDefinition shared = definitions_.add(scope, std::move(definition));
    instance.type = "group:" + shared.group;
    instance.params = std::move(shared.params);
    instance.collapsed = is_quantised_pair(scope);
    for (const Link& link : gone) graph_.remove_link(link);
    for (const std::string& id : ids) graph_.remove_node(id);
    graph_.add_node(instance);
    for (const Link& link : outside) graph_.add_link(link);
    rename(instance.id, ids, local);
    return instance.id;
  }

  static std::string add_socket(Graph& definition, const char* type, const std::string& like) {
    Node node;
    node.type = type;
    const std::string stem = as_id(like).empty() ? type : as_id(like);
    node.id = definition.find(stem) ? definition.fresh_id(stem) : stem;
    definition.add_node(node);
    return node.id;
  }

  void rename(const std::string& instance, const std::vector<std::string>& ids,
              const std::unordered_map<std::string, std::string>& local) {
    std::vector<std::string> all;
    size_t first = SIZE_MAX, last = 0;
    for (const std::string& id : ids) {
      for (std::string& flat : flat_of_.at(id)) {
        path_[flat] = instance + "/" + local.at(id) + path_[flat].substr(id.size());
        all.push_back(std::move(flat));
      }
      first = std::min(first, first_.at(id));
      last = std::max(last, last_.at(id));
      flat_of_.erase(id);
    }
    flat_of_[instance] = std::move(all);
    first_[instance] = first;
    last_[instance] = last;
  }

  /// "conv_1.weight": "layer1/conv1.weight".
  std::string moved(const std::string& name) const {
    const size_t dot = name.find('.');
    const auto path = path_.find(name.substr(0, dot));
    return dot == name.npos || path == path_.end() ? name : path->second + name.substr(dot);
  }

  ImportedModel& model_;
  Graph& graph_;
  std::vector<Tree> trees_;
  std::vector<std::pair<std::string, std::string>> ties_;  // a node and the one whose weights it has, by ids at first
  std::unordered_map<std::string, size_t> first_, last_;   // of what is in the graph, by the order of the file
  std::unordered_map<std::string, std::vector<std::string>> flat_of_;  // the nodes in it
  std::unordered_map<std::string, std::string> path_;                  // of nodes, by their ids at first
  std::unordered_map<std::string, std::string> file_name_;             // of weights, by their names at first; or ""
  SharedDefinitions definitions_;
};

}  // namespace

ImportedModel with_groups(ImportedModel flat) {
  Grouping(flat).run();
  return flat;
}

}  // namespace hw::interop
