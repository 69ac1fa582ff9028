#include "engine/graph/groups/group_edits.h"

#include <algorithm>

#include "engine/core/nearest_names.h"
#include "engine/graph/edit_effects.h"
#include "engine/graph/groups/document_edits.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/near_nodes.h"

namespace hw {
namespace {

constexpr size_t kMostNear = 4;

/// What a definition sets is the default of its instances: with it, all that the same parameter of the group sets.
void set_in_definition(const Group& group, const SetParam& set, Edits& edits) {
  edits.push_back(set);
  const auto is_it = [&](const PromotedParam& p) { return p.node == set.node && p.param == set.param; };
  const auto promoted = std::ranges::find_if(group.params, is_it);
  if (promoted == group.params.end()) return;
  for (const PromotedParam& other : group.params)
    if (other.id == promoted->id && !is_it(other)) edits.push_back(SetParam{other.node, other.param, set.value});
}

/// The parameter is set with another that the group promotes, whose value it takes.
Result<Edits> join_param(const Graph& document, Group group, PromotedParam added) {
  const auto first = std::ranges::find(group.params, added.id, &PromotedParam::id);
  if (first == group.params.end()) return group_refused(group.id, "the group has no parameter \"" + added.id + "\".");
  const auto like = declared_param(document, group, *first), own = declared_param(document, group, added);
  if (!like || !own || like->type != own->type)
    return group_refused(added.node, "\"" + added.param + "\" is of another kind than \"" + first->id + "\".",
                         "Make it a parameter of its own.");
  HW_CHECK(apply_edits(group.graph, {SetParam{added.node, added.param, like->value}}));
  const auto last = std::find_if(group.params.rbegin(), group.params.rend(),
                                 [&](const PromotedParam& p) { return p.id == added.id; });
  group.params.insert(last.base(), std::move(added));
  return Edits{SetGroup{std::move(group)}};
}

/// HW-G003 or HW-P002 where the definition has no such node, or the node no such parameter. What a node of an unknown
/// type has is not known.
Status check_is_there(const Scope& inside, const Group& group, const std::string& node, const std::string& param) {
  const Node* found = group.graph.find(node);
  if (!found) return no_such_node(group.graph, inside.prefix + node, node);
  const auto declared = declaration_of(*inside.document, *found);
  if (!declared || (*declared)->find_param(param)) return ok();
  std::vector<std::string> names;
  for (const ParamDecl& decl : (*declared)->params()) names.push_back(decl.id);
  const std::vector<std::string> near = nearest_names(param, names, kMostNear);
  return Error{codes::unknown_parameter, inside.prefix + node, "the node has no parameter \"" + param + "\".",
               near.empty() ? "" : "Nearest to this name: " + listed(near, kMostNear) + "."};
}

}  // namespace

Result<Edits> document_edits_at(const Scope& inside, Edits edits) {
  const Group* group = definition_at(inside);
  if (!group) return edits;
  Edits groups, own, around, last;
  for (const Edit& edit : edits) {
    const Effects effects = may_change(edit);
    if (std::holds_alternative<SetGroup>(edit)) {
      groups.push_back(edit);
    } else if (effects.groups || effects.policy || effects.weights) {  // of the document, not of a definition
      last.push_back(edit);
    } else if (const auto* set = std::get_if<SetParam>(&edit)) {
      const Node* node = inside.graph->find(set->node);
      const auto [source, param] =
          node ? value_source(inside, *node, set->param) : std::pair(inside.prefix + set->node, set->param);
      if (source == inside.prefix + set->node)
        set_in_definition(*group, *set, own);
      else
        around.push_back(SetParam{source, param, set->value});
    } else {
      own.push_back(edit);
    }
  }
  if (!own.empty()) {
    Group changed = *group;
    HW_CHECK(apply_edits(changed.graph, own));
    std::erase_if(changed.params, [&](const PromotedParam& p) { return !changed.graph.find(p.node); });
    groups.push_back(SetGroup{std::move(changed)});
  }
  if (!around.empty()) {
    HW_TRY(const Edits given, document_edits(*inside.document, around));
    groups.insert(groups.end(), given.begin(), given.end());
  }
  groups.insert(groups.end(), last.begin(), last.end());
  return groups;
}

Status refuse_promoted(const Scope& inside, const std::set<std::string>& nodes) {
  const Group* group = definition_at(inside);
  if (!group) return ok();
  for (const PromotedParam& promoted : group->params) {
    if (!nodes.contains(promoted.node)) continue;
    return group_refused(
        promoted.node, "\"" + promoted.param + "\" of \"" + promoted.node + "\" is a parameter of the group around it.",
        "Take it off the group first.");
  }
  return ok();
}

Result<Edits> promote_param(const Scope& inside, const std::string& node, const std::string& param,
                            const std::string& joined) {
  const Group* group = definition_at(inside);
  if (!group) return group_refused(node, "only a node in a group has parameters to promote.");
  HW_CHECK(check_is_there(inside, *group, node, param));
  const auto is_it = [&](const PromotedParam& p) { return p.node == node && p.param == param; };
  if (std::ranges::any_of(group->params, is_it))
    return group_refused(node, "\"" + param + "\" is a parameter of the group.");
  Group changed = *group;
  if (!joined.empty()) return join_param(*inside.document, std::move(changed), {joined, "", node, param});
  PromotedParam added{param, "", node, param};
  const auto taken = [&] {
    return std::ranges::find(group->params, added.id, &PromotedParam::id) != group->params.end();
  };
  if (taken()) added.id = node + "_" + param;
  for (int n = 2; taken(); ++n) added.id = node + "_" + param + "_" + std::to_string(n);
  changed.params.push_back(std::move(added));
  return Edits{SetGroup{std::move(changed)}};
}

Result<Edits> demote_param(const Scope& inside, const std::string& node, const std::string& param) {
  const Group* group = definition_at(inside);
  const auto is_it = [&](const PromotedParam& p) { return p.node == node && p.param == param; };
  if (!group || std::ranges::none_of(group->params, is_it))
    return group_refused(node, "\"" + param + "\" is no parameter of the group.");
  const std::string id = std::ranges::find_if(group->params, is_it)->id;
  Group changed = *group;
  const auto was = std::ranges::find_if(changed.params, is_it);
  const std::string label = was->label;
  changed.params.erase(was);
  if (const auto heir = std::ranges::find(changed.params, id, &PromotedParam::id); heir != changed.params.end()) {
    if (heir->label.empty()) heir->label = label;  // it still sets others
    return Edits{SetGroup{std::move(changed)}};
  }
  Edits edits;
  // What instances give it, in the document and in definitions.
  const auto drop_values = [&](const Graph& graph, Edits& drops) {
    for (const auto& [other, instance] : graph.nodes())
      if (group_of(instance) == group->id && instance.params.contains(id))
        drops.push_back(SetParam{other, id, std::nullopt});
  };
  drop_values(*inside.document, edits);
  for (const auto& [other, definition] : inside.document->groups()) {
    Edits drops;
    drop_values(definition->graph, drops);
    if (drops.empty()) continue;
    Group around = *definition;
    HW_CHECK(apply_edits(around.graph, drops));
    edits.push_back(SetGroup{std::move(around)});
  }
  edits.push_back(SetGroup{std::move(changed)});
  return edits;
}

}  // namespace hw
