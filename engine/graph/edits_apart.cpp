#include "engine/graph/edits_apart.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "engine/graph/document_edits.h"
#include "engine/graph/edit_nodes.h"
#include "engine/graph/group_edits.h"
#include "engine/graph/grouping.h"

namespace hw {
namespace {

/// The paths of the instances around the nodes that edits name, the outermost first.
std::set<std::pair<size_t, std::string>> instances_around(const Edits& edits) {
  std::set<std::pair<size_t, std::string>> instances;
  for (Edit edit : edits)
    for_each_node(edit, [&](const std::string& path) {
      size_t depth = 0;
      for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
        instances.emplace(depth++, path.substr(0, slash));
    });
  return instances;
}

/// What edits change inside an instance, by paths from there.
Edits inside(const Edits& edits, const std::string& instance) {
  const std::string prefix = instance + "/";
  Edits all;
  for (Edit edit : edits) {
    bool is_inside = false;
    for_each_node(edit, [&](std::string& path) {
      if (!path.starts_with(prefix)) return;
      is_inside = true;
      path.erase(0, prefix.size());
    });
    if (is_inside) all.push_back(std::move(edit));
  }
  return all;
}

/// All instances of the group that the one at `path` is of change alike.
bool change_alike(const Graph& document, const Edits& edits, const std::string& path) {
  const NodePlace place(document, path);
  const Group* group = place.node ? definition(place.scope(), *place.node) : nullptr;
  if (!group) return true;
  const Edits own = inside(edits, path);
  return std::ranges::all_of(instances_of(document, group->id),
                             [&](const std::string& other) { return inside(edits, other) == own; });
}

/// A definition for the instance at a path alone, where there are others and it shares no weights.
Status set_apart(Graph& document, const std::string& path) {
  const NodePlace place(document, path);
  const Group* group = place.node ? definition(place.scope(), *place.node) : nullptr;
  if (!group || count_instances(document, group->id) < 2) return ok();
  const auto unique = make_unique_group(place.scope(), place.node->id);
  if (!unique) return ok();
  HW_TRY(const Edits edits, document_edits_at(place.scope(), *unique));
  HW_CHECK(apply_edits(document, edits));
  return ok();
}

}  // namespace

Status apply_flat_edits_apart(Graph& document, const Edits& edits) {
  Graph apart = document;
  for (const auto& [depth, path] : instances_around(edits))
    if (!change_alike(apart, edits, path)) HW_CHECK(set_apart(apart, path));
  HW_CHECK(apply_flat_edits(apart, edits));
  document = std::move(apart);
  return ok();
}

}  // namespace hw
