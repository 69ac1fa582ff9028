#include "engine/graph/check_groups.h"

#include <algorithm>

#include "engine/core/codes.h"

namespace hw {
namespace {

struct Extent {
  int64_t nodes = 0;
  int depth = 0;  // of groups in it
};

/// The extents of graphs when they are flattened, each group once.
class Extents {
 public:
  explicit Extents(const Graph& document) : document_(document) {}

  /// Error HW-G010.
  Result<Extent> of(const Graph& graph) {
    Extent all;
    for (const auto& [id, node] : graph.nodes()) {
      ++all.nodes;
      if (const auto group = group_of(node)) {
        HW_TRY(const Extent inside, of_group(*group));
        all.nodes += inside.nodes;
        all.depth = std::max(all.depth, inside.depth + 1);
      }
      if (all.nodes > kMostFlatNodes)
        return Error{codes::bad_group, id,
                     "with its groups the graph has more than " + std::to_string(kMostFlatNodes) + " nodes.",
                     "Use fewer instances of groups within groups."};
      if (all.depth > kMostGroupDepth) return too_deep(id);
    }
    return all;
  }

 private:
  static Error too_deep(const std::string& where) {
    return {codes::bad_group, where,
            "groups lie in one another more than " + std::to_string(kMostGroupDepth) + " deep.",
            "Put what is in the inner ones into the outer ones."};
  }
  Result<Extent> of_group(std::string_view id) {
    const Group* group = document_.find_group(id);
    if (!group) return Extent{};
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    if (std::ranges::find(open_, id) != open_.end())
      return Error{codes::bad_group, std::string(id), "the group \"" + std::string(id) + "\" contains itself.",
                   "Remove the instance of it that is in it."};
    if (open_.size() > kMostGroupDepth) return too_deep(std::string(id));
    open_.push_back(id);
    HW_TRY(const Extent inside, of(group->graph));
    open_.pop_back();
    return known_[id] = inside;
  }

  const Graph& document_;
  std::map<std::string_view, Extent> known_;
  std::vector<std::string_view> open_;
};

}  // namespace

Status check_groups(const Graph& graph) {
  Extents extents(graph);
  for (const auto& [id, group] : graph.groups()) {
    if (const auto inside = extents.of(group->graph); !inside) return inside.error();
  }
  if (const auto all = extents.of(graph); !all) return all.error();
  return ok();
}

}  // namespace hw
