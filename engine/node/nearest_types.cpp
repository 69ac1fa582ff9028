#include "engine/node/nearest_types.h"

#include "engine/core/near_names.h"

namespace hw {

std::vector<const NodeType*> nearest_types(std::string_view name, size_t most) {
  std::vector<std::string> ids;
  for (const auto& [id, type] : Registry::instance().all()) ids.push_back(id);
  std::vector<const NodeType*> types;
  for (const std::string& id : near_names(name, std::move(ids), most)) types.push_back(Registry::instance().find(id));
  return types;
}

}  // namespace hw
