#include "engine/graph/weights/weight_table.h"

#include <algorithm>

#include "engine/graph/check/check_weights.h"
#include "engine/graph/topological_sort.h"
#include "engine/graph/weights/foreign_names.h"
#include "engine/graph/weights/weight_scale.h"

namespace hw {
namespace {

std::set<std::string> all_nodes(const Graph& graph) {
  std::set<std::string> all;
  for (const auto& [id, node] : graph.nodes()) all.insert(id);
  return all;
}

/// The words of a node in a group that is called as its type is, "layer_0/self/query/linear_2", are those of the group:
/// the exporter's name of an operator says nothing of the module. Empty: it is called otherwise.
Words words_of_module(const Node& node, const std::string& weight) {
  const size_t slash = node.id.rfind('/');
  if (slash == node.id.npos) return {};
  const std::string_view own = std::string_view(node.id).substr(slash + 1);
  const bool is_numbered = own.size() > node.type.size() && own[node.type.size()] == '_';
  if (!own.starts_with(node.type) || (own.size() > node.type.size() && !is_numbered)) return {};
  return words_of(node.id.substr(0, slash) + "." + weight);
}

Words words_in_file(const std::string& name, const std::map<std::string, Tensor>& tensors) {
  const size_t first = name.find("_l0");
  std::string second = name;
  return without_layer(words_of(name), first != name.npos && !tensors.contains(second.replace(first, 3, "_l1")));
}

}  // namespace

bool strip_transposed(std::string& name) {
  const size_t stripped = name_in_file(name).size();
  const bool is_transposed = stripped < name.size();
  name.resize(stripped);
  return is_transposed;
}

WeightTable::WeightTable(const Graph& flat, const Validator& validator, const std::map<std::string, Tensor>& tensors)
    : flat_(flat) {
  add_rows(validator);
  add_tensors(tensors);
}

void WeightTable::add_rows(const Validator& validator) {
  const NodeNames names(flat_);
  std::map<std::string, std::string> name_of;  // of nodes in files
  for (const auto& [name, id] : names.ids()) name_of[id] = name;
  std::map<std::string, size_t> depths;
  for (const std::string& id : topological_sort(flat_, all_nodes(flat_))) {
    const Node& node = *flat_.find(id);
    size_t& depth = depths[id];
    for (const Link& link : flat_.links_into(id)) depth = std::max(depth, depths[link.from] + 1);
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.weights().empty() || !node.tie.empty()) continue;
    const auto parameters = parameters_of(node, validator.input_types(flat_, node));
    if (!parameters) continue;
    for (size_t place = 0; const auto& [weight, value] : *parameters) {
      const WeightFormat* format = weight_format(node, weight);
      const auto stored = flat_.weight_names.find(id + "." + weight);
      const bool is_stored = stored != flat_.weight_names.end();
      WeightRow& row = rows_.emplace_back();
      row.parameter = id + "." + weight;
      row.dtype = format ? format->dtype : value.dtype;
      row.dims = value.dims;
      row.expected = is_stored ? stored->second : name_of.at(id) + "." + weight;
      row.is_turned = strip_transposed(row.expected);
      row.words = words_of(node.type == "parameter" && is_stored ? row.expected
                                                                 : (node.name.empty() ? id : node.name) + "." + weight);
      row.module_words = words_of_module(node, weight);
      row.depth = depth;
      row.place = place++;
      row.is_named = !node.name.empty() || !id.substr(id.rfind('/') + 1).starts_with("node_");
      row.is_norm = node.type.ends_with("_norm");
      row.is_recurrent = node.type == "lstm" || node.type == "gru";
      row.is_table = node.type == "embedding" || node.type == "parameter";
    }
  }
}

void WeightTable::add_tensors(const std::map<std::string, Tensor>& tensors) {
  for (const auto& [name, tensor] : tensors) {
    if (name.find('#') != name.npos || counts_batches(name) || !tensor_scaled_by(name, tensors).empty() ||
        is_scale_of_values(name, tensors))
      continue;
    left_.emplace(name, FileTensor{tensor.dims(), words_in_file(name, tensors)});
    all_.insert(name);
  }
}

bool WeightTable::has_all_expected() const {
  return std::ranges::all_of(rows_, [&](const WeightRow& row) { return left_.contains(row.expected); });
}

void WeightTable::take(size_t row, const std::string& tensor, MappedBy by) {
  rows_[row].tensor = tensor;
  rows_[row].by = by;
  left_.erase(tensor);
}

void WeightTable::release(size_t row) {
  WeightRow& r = rows_[row];
  left_.emplace(r.tensor, FileTensor{r.dims_in_file(), words_of(r.tensor)});
  r.tensor.clear();
  r.by = MappedBy::nothing;
}

WeightMapping WeightTable::result() && {
  WeightMapping mapping;
  for (WeightRow& row : rows_) mapping.parameters.push_back(std::move(row));
  for (const auto& [name, tensor] : left_) mapping.unused.push_back(name);
  return mapping;
}

}  // namespace hw
