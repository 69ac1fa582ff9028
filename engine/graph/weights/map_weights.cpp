#include "engine/graph/weights/map_weights.h"

#include <array>
#include <set>

#include "engine/graph/weights/foreign_names.h"
#include "engine/graph/weights/map_by_name.h"
#include "engine/graph/weights/map_by_place.h"

namespace hw {
namespace {

/// The tensors that with_node_ids takes for the parameters of a graph, by parameter; without the graph's weight_names.
std::map<std::string, std::string> by_names_alone(const Graph& flat, const std::map<std::string, Tensor>& tensors) {
  std::map<std::string, std::string> parameters;
  const NodeNames names(flat);
  for (const auto& [name, tensor] : tensors) parameters.emplace(names.parameter_of(name), name);
  return parameters;
}

}  // namespace

std::string_view name(MappedBy by) {
  constexpr std::array<std::string_view, 7> kNames{"none",         "given", "name", "published",
                                                   "similar name", "shape", "order"};
  return kNames[static_cast<size_t>(by)];
}

std::string MappedWeight::stored_name() const {
  return tensor + std::string(is_turned ? kTransposed : std::string_view());
}

std::map<std::string, std::string> WeightMapping::names(const Graph& flat) const {
  std::map<std::string, std::string> kept;
  std::set<std::string> without;  // a tensor
  const NodeNames names(flat);
  std::map<std::string, size_t> uses;  // of tensors
  for (const MappedWeight& m : parameters) {
    if (m.tensor.empty()) without.insert(m.parameter);
    ++uses[m.tensor];
  }
  for (const MappedWeight& m : parameters) {
    const std::string own = m.tensor.empty() ? m.parameter : names.parameter_of(m.tensor);
    if (own == m.parameter && !m.is_turned && (m.tensor.empty() || uses.at(m.tensor) < 2)) continue;
    kept[m.parameter] = m.stored_name();
    if (own != m.parameter && without.contains(own))
      kept[own] = m.tensor + ".unmapped";  // so that a file never has two of one name
  }
  return kept;
}

WeightMapping map_weights(const Graph& flat, const Validator& validator, const std::map<std::string, Tensor>& tensors,
                          const std::map<std::string, std::string>& given, MappedBy last) {
  WeightTable table(flat, validator, tensors);
  PublishedNames network;
  if (last >= MappedBy::similar_name) map_by_prefix(table, true);
  map_by_given(table, given);
  if (last >= MappedBy::published) network = map_by_network(table);
  if (last >= MappedBy::name) map_by_name(table, by_names_alone(flat, tensors));
  if (last >= MappedBy::similar_name) {
    map_by_prefix(table, false);
    map_by_block(table);
    map_by_similar_name(table);
    release_torn_families(table);
    map_by_module(table);
    map_by_layer(table);
    keep_modules_together(table, MappedBy::similar_name);
  }
  if (last >= MappedBy::shape) {
    map_by_kind(table, 1, MappedBy::shape);
    map_by_tie(table);
  }
  if (last >= MappedBy::order) {
    map_by_kind(table, SIZE_MAX, MappedBy::order);
    keep_modules_together(table, MappedBy::order);
  }
  WeightMapping mapping = std::move(table).result();
  mapping.network = std::move(network.network);
  mapping.differs = std::move(network.differs);
  return mapping;
}

}  // namespace hw
