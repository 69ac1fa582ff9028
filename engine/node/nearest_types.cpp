#include "engine/node/nearest_types.h"

#include "engine/core/nearest_names.h"

namespace hw {

std::vector<const NodeType*> nearest_types(std::string_view name, size_t most) {
  const Registry& registry = Registry::instance();
  std::vector<std::string> ids;
  for (const auto& [id, type] : registry.all()) ids.emplace_back(id);
  std::vector<const NodeType*> types;
  for (const std::string& id : nearest_names(name, ids, most)) types.push_back(registry.find(id));
  return types;
}

}  // namespace hw
