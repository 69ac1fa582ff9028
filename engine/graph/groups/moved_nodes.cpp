#include "engine/graph/groups/moved_nodes.h"

#include <algorithm>

namespace hw {

std::optional<std::string> moved_name(const MovedNodes& moved, std::string_view name) {
  size_t end = std::min(name.find_first_of(".#"), name.size());
  while (true) {
    if (const auto to = moved.find(name.substr(0, end)); to != moved.end())
      return to->second + std::string(name.substr(end));
    const size_t slash = name.substr(0, end).rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    end = slash;
  }
}

MovedNodes moved_back(const MovedNodes& moved) {
  MovedNodes back;
  for (const auto& [from, to] : moved) back[to] = from;
  return back;
}

}  // namespace hw
