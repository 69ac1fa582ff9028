#include "app/interop/onnx/shared_definitions.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <set>

#include "app/interop/onnx/ids.h"
#include "engine/graph/groups/scope.h"
#include "engine/io/graph/graph_file.h"

namespace hw::interop {
namespace {

/// The parameter of a constant that holds its numbers; null: it is no constant.
const char* numbers_of_constant(const Node& node) {
  if (node.type == "constant") return "value";
  return node.type == "tensor_constant" ? "values" : nullptr;
}

/// "layers" of "layers.0".
std::string without_number(const std::string& name) {
  const size_t end = name.find_last_not_of("0123456789.");
  return end == name.npos ? name : name.substr(0, end + 1);
}

/// The input that a constant is wired to, past what gives it a shape; else the constant's own id.
std::string name_of_reader(const Graph& graph, const std::string& constant) {
  std::string from = constant;
  while (!graph.links_from(from).empty()) {
    const Link& link = graph.links_from(from).front();
    if (graph.find(link.to)->type != "reshape") return link.to_socket.size() > 1 ? link.to_socket : constant;
    from = link.to;
  }
  return constant;
}

/// "Zero point" of "zero_point".
std::string label_of(std::string id) {
  std::ranges::replace(id, '_', ' ');
  id.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(id.front())));
  return id;
}

/// Ids of the promoted parameters of a group.
class ParamIds {
 public:
  explicit ParamIds(const Group& group) {
    for (const PromotedParam& param : group.params) ids_.insert(param.id);
  }
  /// "scale", "scale_2", …
  std::string fresh(const std::string& stem) {
    int& n = numbers_.try_emplace(stem, 1).first->second;
    std::string id = stem;
    while (!ids_.insert(id).second) id = stem + "_" + std::to_string(++n);
    return id;
  }

 private:
  std::set<std::string> ids_;
  std::map<std::string, int> numbers_;  // the last by stem
};

}  // namespace

std::string short_name(const std::string& path) {
  const auto is_number = [](const std::string& text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  size_t dot = path.rfind('.');
  if (dot != path.npos && is_number(path.substr(dot + 1))) dot = dot == 0 ? path.npos : path.rfind('.', dot - 1);
  return path.substr(dot == path.npos ? 0 : dot + 1);
}

ParamValue SharedDefinitions::standing(const std::string& group, const std::string& param) const {
  const Group& of = groups_.at(group);
  const PromotedParam& promoted = *std::ranges::find(of.params, param, &PromotedParam::id);
  const Node& node = *of.graph.find(promoted.node);
  if (const auto set = node.params.find(promoted.param); set != node.params.end()) return set->second;
  const auto inner = group_of(node);
  return inner ? standing(std::string(*inner), promoted.param) : param_value(node, promoted.param);
}

std::optional<SharedDefinitions::Number> SharedDefinitions::Number::of(const ParamValue& value) {
  if (const double* number = std::get_if<double>(&value)) return Number{std::bit_cast<uint64_t>(*number), false};
  const auto* list = std::get_if<std::vector<double>>(&value);
  if (!list || list->size() != 1) return std::nullopt;
  return Number{std::bit_cast<uint64_t>(list->front()), true};
}

ParamValue SharedDefinitions::Number::value() const {
  const auto number = std::bit_cast<double>(bits);
  return is_list ? ParamValue(std::vector<double>{number}) : ParamValue(number);
}

SharedDefinitions::Numbers SharedDefinitions::taken_out(Graph& definition) const {
  Numbers numbers;
  std::vector<std::string> ids;
  for (const auto& [id, node] : definition.nodes()) ids.push_back(id);
  for (const std::string& id : ids) {
    Node& node = definition.node(id);
    if (const char* param = numbers_of_constant(node)) {
      const auto number = Number::of(param_value(node, param));
      if (!number) continue;
      numbers[{id, param}] = *number;
      node.params.erase(param);
    } else if (const auto group = group_of(node)) {
      for (const PromotedParam& promoted : groups_.at(std::string(*group)).params) {
        const auto set = node.params.find(promoted.id);
        const ParamValue& value = set == node.params.end() ? standing(std::string(*group), promoted.id) : set->second;
        numbers[{id, promoted.id}] = Number::of(value).value();
      }
      node.params.clear();
    }
  }
  return numbers;
}

std::optional<ParamMap> SharedDefinitions::params_for(Group& group, const Numbers& numbers) const {
  Graph blank = group.graph;
  const Numbers standing = taken_out(blank);
  std::map<Place, std::string> promoted;
  for (const PromotedParam& param : group.params) promoted[{param.node, param.param}] = param.id;
  ParamMap params;
  std::map<std::string, Number> asked;  // of what is promoted
  std::vector<Place> others;            // that differ and are not promoted so far
  for (const auto& [place, number] : numbers) {
    const bool differs = standing.at(place) != number;
    const auto known = promoted.find(place);
    if (known == promoted.end()) {
      if (differs) others.push_back(place);
      continue;
    }
    if (asked.try_emplace(known->second, number).first->second != number) return std::nullopt;
    if (differs) params[known->second] = number.value();
  }
  ParamIds ids(group);
  std::map<std::pair<Number, Number>, std::string> made;  // ids, by the numbers of the definition and of the instance
  for (const Place& place : others) {
    const auto& [node, param] = place;
    const auto [entry, is_new] = made.try_emplace({standing.at(place), numbers.at(place)});
    if (is_new) {
      entry->second = ids.fresh(group_of(*group.graph.find(node)) ? param : name_of_reader(group.graph, node));
      params[entry->second] = numbers.at(place).value();
    }
    group.params.push_back({entry->second, label_of(entry->second), node, param});
  }
  return params;
}

std::string SharedDefinitions::new_group(const OnnxScope& scope, Graph definition) {
  const bool is_container = scope.kind.empty() || scope.kind == "Sequential" || scope.kind == "ModuleList";
  const std::string title = is_container ? without_number(short_name(scope.path)) : scope.kind;
  std::string id = as_id(title).empty() ? "group" : as_id(title);
  const std::string stem = id;
  int& n = numbers_.try_emplace(stem, 1).first->second;  // smaller ones are taken: thousands of calls make as many
  while (groups_.contains(id)) id = stem + "_" + std::to_string(++n);
  Group group;
  group.id = id;
  group.title = n == 1 ? title : title + " " + std::to_string(n);
  group.graph = std::move(definition);
  groups_[id] = std::move(group);
  return id;
}

SharedDefinition SharedDefinitions::add(const OnnxScope& scope, Graph definition) {
  Graph blank = definition;
  const Numbers numbers = taken_out(blank);
  std::vector<std::string>& alike = known_[scope.kind + "\n" + write_graph(blank)];
  for (const std::string& id : alike)
    if (auto params = params_for(groups_.at(id), numbers)) return {id, std::move(*params)};
  alike.push_back(new_group(scope, std::move(definition)));
  return {alike.back(), {}};
}

}  // namespace hw::interop
