#include "app/interop/onnx/shared_definitions.h"

#include <algorithm>
#include <cctype>

#include "app/interop/onnx/ids.h"
#include "engine/graph/scope.h"
#include "engine/io/graph_file.h"

namespace hw::interop {
namespace {

/// The parameter of a constant that holds its one number; null: it is no such constant.
const char* number_of_constant(const Node& node) {
  if (node.type == "constant") return "value";
  if (node.type != "tensor_constant") return nullptr;
  const auto values = node.params.find("values");
  if (values == node.params.end()) return nullptr;
  const auto* numbers = std::get_if<std::vector<double>>(&values->second);
  return numbers && numbers->size() == 1 ? "values" : nullptr;
}

/// "layers" of "layers.0".
std::string without_number(const std::string& name) {
  const size_t end = name.find_last_not_of("0123456789.");
  return end == name.npos ? name : name.substr(0, end + 1);
}

/// The input that a constant is wired to, past what gives it a shape; else the constant's own id.
std::string name_of_reader(const Graph& graph, const std::string& constant) {
  const auto& readers = graph.links_from(constant);
  if (readers.empty()) return constant;
  const Link& link = readers.front();
  if (graph.find(link.to)->type == "reshape") return name_of_reader(graph, link.to);
  return link.to_socket.size() > 1 ? link.to_socket : constant;
}

/// "Zero point" of "zero_point".
std::string label_of(std::string id) {
  std::ranges::replace(id, '_', ' ');
  id.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(id.front())));
  return id;
}

std::string fresh_param(const Group& group, const std::string& stem) {
  std::string id = stem;
  for (int n = 2; std::ranges::count(group.params, id, &PromotedParam::id) > 0; ++n)
    id = stem + "_" + std::to_string(n);
  return id;
}

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

SharedDefinitions::Values SharedDefinitions::taken_out(Graph& definition) const {
  Values values;
  std::vector<std::string> ids;
  for (const auto& [id, node] : definition.nodes()) ids.push_back(id);
  for (const std::string& id : ids) {
    Node& node = definition.node(id);
    if (const char* number = number_of_constant(node)) {
      values[{id, number}] = param_value(node, number);
      node.params.erase(number);
    } else if (const auto group = group_of(node)) {
      for (const PromotedParam& promoted : groups_.at(std::string(*group)).params) {
        const auto set = node.params.find(promoted.id);
        values[{id, promoted.id}] = set == node.params.end() ? standing(std::string(*group), promoted.id) : set->second;
      }
      node.params.clear();
    }
  }
  return values;
}

std::optional<ParamMap> SharedDefinitions::params_for(Group& group, const Values& values) const {
  Graph blank = group.graph;
  const Values own = taken_out(blank);
  ParamMap params;
  std::vector<std::pair<Place, ParamValue>> other;  // that are not promoted so far
  std::map<std::string, ParamValue> asked;          // of what is promoted
  for (const auto& [place, value] : values) {
    const auto promoted = std::ranges::find_if(
        group.params, [&](const PromotedParam& p) { return p.node == place.first && p.param == place.second; });
    const bool is_same = own.at(place) == value;
    if (promoted == group.params.end()) {
      if (!is_same) other.emplace_back(place, value);
      continue;
    }
    if (const auto [before, is_new] = asked.try_emplace(promoted->id, value); !is_new && before->second != value)
      return std::nullopt;
    if (!is_same) params[promoted->id] = value;
  }
  std::vector<std::pair<std::pair<ParamValue, ParamValue>, std::string>> made;  // ids by the two values
  for (const auto& [place, value] : other) {
    const std::pair both(own.at(place), value);
    auto known = std::ranges::find(made, both, [](const auto& entry) { return entry.first; });
    if (known == made.end()) {
      const std::string stem =
          group_of(*group.graph.find(place.first)) ? place.second : name_of_reader(group.graph, place.first);
      made.emplace_back(both, fresh_param(group, stem));
      known = made.end() - 1;
      params[known->second] = value;
    }
    group.params.push_back({known->second, label_of(known->second), place.first, place.second});
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
  const Values values = taken_out(blank);
  std::vector<std::string>& alike = known_[scope.kind + "\n" + write_graph(blank)];
  for (const std::string& id : alike)
    if (auto params = params_for(groups_.at(id), values)) return {id, std::move(*params)};
  alike.push_back(new_group(scope, std::move(definition)));
  return {alike.back(), {}};
}

}  // namespace hw::interop
