#include "engine/graph/near_nodes.h"

#include "engine/core/codes.h"
#include "engine/core/nearest_names.h"

namespace hw {
namespace {

constexpr size_t kMostNear = 4, kMostListed = 12;

}  // namespace

Error no_such_node(const Graph& flat, std::string where, const std::string& node) {
  std::vector<std::string> all, inside;
  for (const auto& [id, other] : flat.nodes()) {
    all.push_back(id);
    if (id.starts_with(node + "/")) inside.push_back(id);
  }
  const auto error = [&](const std::string& reason, const std::string& remedy) {
    return Error{codes::unknown_node, std::move(where), reason, remedy};
  };
  if (!inside.empty())
    return error("this is a group; what runs are the nodes in it.",
                 "Name one of them: " + listed(inside, kMostListed) + ".");
  const std::string reason = "the graph has no such node.";
  if (all.empty()) return error(reason, "It has no nodes.");
  const std::vector<std::string> near = nearest_names(node, all, kMostNear);
  if (!near.empty()) return error(reason, "Nearest to this name: " + listed(near, kMostNear) + ".");
  return error(reason, "Its nodes: " + listed(all, kMostListed) + ".");
}

}  // namespace hw
