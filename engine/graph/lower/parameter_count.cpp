#include "engine/graph/lower/parameter_count.h"

#include <algorithm>

#include "engine/core/memory.h"
#include "engine/core/sizes.h"

namespace hw {
namespace {

void add(ParameterCount& sum, const ParameterCount& count) {
  sum.parameters += count.parameters;
  sum.bytes += count.bytes;
  sum.complete &= count.complete;
  sum.frozen += count.frozen;
}

}  // namespace

bool is_trained(const Node& node) {
  const NodeType* type = Registry::instance().find(node.type);
  if (!type || type->decl.weights().empty()) return true;
  const bool has_switch = type->decl.find_param("trainable") != nullptr;
  return !node.frozen && (!has_switch || param_value(node, "trainable") == ParamValue(true));
}

bool has_parameters(const Graph& flat) {
  return std::ranges::any_of(flat.nodes(), [](const auto& entry) {
    const NodeType* type = Registry::instance().find(entry.second.type);
    return type && !type->decl.weights().empty();
  });
}

ParameterCount count_parameters(const Graph& flat, const Node& node, const Validator& validator) {
  ParameterCount count;
  const NodeType* type = Registry::instance().find(node.type);
  if (!type || type->decl.weights().empty() || !node.tie.empty()) return count;
  const auto parameters = parameters_of(node, validator.input_types(flat, node));
  count.complete = parameters.has_value();
  if (!parameters) return count;
  const bool trained = is_trained(node);
  for (const auto& [name, value] : *parameters) {
    const WeightDecl* decl = type->decl.find_weight(name);
    const WeightFormat* format = weight_format(node, name);
    const int64_t elements = element_count(value.dims);
    if (!decl || !decl->statistics) (trained ? count.parameters : count.frozen) += elements;
    count.bytes += static_cast<int64_t>(byte_count(format ? format->dtype : value.dtype, elements));
  }
  return count;
}

std::string parameters_text(const ParameterCount& count) {
  return (count.complete ? "" : "at least ") + std::to_string(count.parameters) + " trainable parameters" +
         (count.frozen == 0 ? "" : " and " + std::to_string(count.frozen) + " frozen") + ", " +
         memory_text(static_cast<size_t>(count.bytes));
}

std::map<std::string, ParameterCount> count_parameters(const Graph& flat, const Validator& validator) {
  std::map<std::string, ParameterCount> counts{{"", {}}};
  for (const auto& [id, node] : flat.nodes()) {
    const ParameterCount count = count_parameters(flat, node, validator);
    add(counts[""], count);
    for (size_t slash = id.find('/'); slash != id.npos; slash = id.find('/', slash + 1))
      add(counts[id.substr(0, slash)], count);
  }
  return counts;
}

size_t count_without(const Graph& flat, const Validator& validator, const std::map<std::string, Tensor>& weights) {
  size_t without = 0;
  for (const auto& [id, node] : flat.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.weights().empty() || !node.tie.empty()) continue;
    const auto parameters = parameters_of(node, validator.input_types(flat, node));
    if (!parameters) continue;
    for (const auto& [name, value] : *parameters) without += !weights.contains(id + "." + name);
  }
  return without;
}

}  // namespace hw
