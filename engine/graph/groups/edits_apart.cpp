#include "engine/graph/groups/edits_apart.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/graph/groups/document_edits.h"
#include "engine/graph/groups/edits_by_group.h"
#include "engine/graph/groups/group_edits.h"
#include "engine/graph/groups/grouping.h"
#include "engine/graph/groups/scope.h"

namespace hw {
namespace {

using EditsByGroup = std::map<std::string, Edits>;

/// The paths of the instances around changed nodes, the outermost first.
std::set<std::pair<size_t, std::string>> instances_around(const EditsByGroup& edits) {
  std::set<std::pair<size_t, std::string>> instances;
  for (const auto& [path, part] : edits) {
    size_t depth = 0;
    for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
      instances.emplace(depth++, path.substr(0, slash));
  }
  return instances;
}

/// What changes inside the instance at `path`, by paths from there.
EditsByGroup inside(const EditsByGroup& edits, const std::string& path) {
  const std::string prefix = path + "/";
  EditsByGroup all;
  for (auto part = edits.lower_bound(prefix); part != edits.end() && part->first.starts_with(prefix); ++part)
    all[part->first.substr(prefix.size())] = part->second;
  return all;
}

using NodeParam = std::pair<std::string, std::string>;  // path of a node, and its parameter

/// Settings that an instance gives to several nodes, of which the edits change some alone, or in different ways: those
/// of the nodes that do not follow the instance any more.
std::set<NodeParam> partly_changed(const Graph& document, const Edits& edits) {
  std::map<NodeParam, std::map<NodeParam, ParamValue>> changes;  // by the setting of an instance
  for (const Edit& edit : edits) {
    const auto* set = std::get_if<SetParam>(&edit);
    if (!set || !set->value) continue;
    const NodePlace place(document, set->node);
    if (!place.node) continue;
    const NodeParam given = promoted_at(place.scope(), *place.node, set->param);
    if (given.first != set->node) changes[given].insert_or_assign({set->node, set->param}, *set->value);
  }
  std::set<NodeParam> own;
  for (const auto& [given, changed] : changes) {
    const NodePlace instance(document, given.first);
    const auto targets = flat_params(instance.scope(), *instance.node, given.second);
    const auto is_changed = [&](const NodeParam& target) { return changed.contains(target); };
    const bool all = std::ranges::all_of(targets, is_changed);
    for (const auto& [target, value] : changed)
      if (!all || value != changed.at(targets.front())) own.insert(target);
  }
  return own;
}

/// Gives the instances of a group that change in different ways definitions of their own.
class Definitions {
 public:
  Definitions(Graph document, EditsByGroup edits) : document_(std::move(document)), edits_(std::move(edits)) {}

  /// `path`: of an instance.
  Status set_apart(const std::string& path) {
    const NodePlace place(document_, path);
    const Group* group = place.node ? definition(place.scope(), *place.node) : nullptr;
    if (!group) return ok();
    const EditsByGroup own = inside(edits_, path);
    const auto changes_alike = [&](const std::string& other) { return inside(edits_, other) == own; };
    if (std::ranges::all_of(instances_of(document_, group->id), changes_alike)) return ok();
    auto unique = make_unique_group(place.scope(), place.node->id);
    if (!unique) return ok();  // it shares weights with another
    auto& made = made_[group->id];
    const auto alike = std::ranges::find(made, own, &Made::changes);
    if (alike == made.end())
      made.push_back({own, std::get<SetGroup>(unique->front()).group->id});
    else
      become(*unique, alike->group);
    HW_TRY(const Edits edits, document_edits_at(place.scope(), std::move(*unique)));
    return apply(edits);
  }
  /// The node of a group takes what the instance gave it as a setting of its own.
  Status own_setting(const NodeParam& setting) {
    const NodePlace place(document_, setting.first);
    const Group* group = place.node ? definition_at(place.scope()) : nullptr;
    if (!group) return ok();
    Group changed = *group;
    const auto is_it = [&](const PromotedParam& p) { return p.node == place.node->id && p.param == setting.second; };
    if (std::erase_if(changed.params, is_it) == 0) return ok();
    return apply({SetGroup{std::move(changed)}});
  }
  const Graph& document() const { return document_; }
  Edits take_edits() { return std::move(edits_made_); }

 private:
  struct Made {
    EditsByGroup changes;  // inside each instance
    std::string group;
  };

  Status apply(const Edits& edits) {
    HW_CHECK(apply_edits(document_, edits));
    edits_made_.insert(edits_made_.end(), edits.begin(), edits.end());
    return ok();
  }

  /// Makes the instance one of a definition that is there, instead of a new one.
  static void become(Edits& edits, const std::string& group) {
    edits.erase(edits.begin());
    for (Edit& edit : edits)
      if (auto* added = std::get_if<AddNode>(&edit)) {
        Node node = *added->node;
        node.type = "group:" + group;
        edit = AddNode{std::move(node)};
      }
  }

  Graph document_;
  EditsByGroup edits_;
  std::map<std::string, std::vector<Made>> made_;  // by the group that they were of
  Edits edits_made_;
};

}  // namespace

Result<Edits> document_edits_apart(const Graph& document, const Edits& edits) {
  const std::set<NodeParam> own = partly_changed(document, edits);
  HW_TRY(EditsByGroup parts, edits_by_group(document, edits, own));
  const auto paths = instances_around(parts);
  Definitions definitions(document, std::move(parts));
  for (const auto& [depth, path] : paths) HW_CHECK(definitions.set_apart(path));
  for (const NodeParam& setting : own) HW_CHECK(definitions.own_setting(setting));
  HW_TRY(const Edits changed, document_edits(definitions.document(), edits));
  Edits all = definitions.take_edits();
  all.insert(all.end(), changed.begin(), changed.end());
  return all;
}

}  // namespace hw
