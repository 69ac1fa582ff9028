#include "engine/graph/compare_graphs.h"

#include <algorithm>
#include <set>

namespace hw {
namespace {

using Change = Difference::Kind;
using Of = Difference::Of;

const char* yes_no(bool on) {
  return on ? "yes" : "no";
}

void add(std::vector<FieldChange>& fields, const std::string& what, const std::string& before,
         const std::string& after) {
  if (before != after) fields.push_back({what, before, after});
}

std::string param_text(const Node& node, const std::string& param) {
  if (const auto set = node.params.find(param); set != node.params.end()) return to_string(set->second);
  const NodeType* type = Registry::instance().find(node.type);
  const ParamDecl* declared = type ? type->decl.find_param(param) : nullptr;
  return declared ? to_string(declared->value) : "default";
}

std::string weight_text(const Node& node, const std::string& weight) {
  const auto set = node.weights.find(weight);
  if (set == node.weights.end()) return "as computed";
  std::string text(info(set->second.dtype).name);
  if (set->second.cast) text += ", cast";
  if (set->second.convert) text += ", converted when loaded";
  return text;
}

std::vector<FieldChange> fields_of(const Node& before, const Node& after) {
  std::vector<FieldChange> fields;
  add(fields, "type", before.type, after.type);
  add(fields, "label", before.label, after.label);
  add(fields, "name", before.name, after.name);
  std::set<std::string> params, weights;
  for (const Node* node : {&before, &after}) {
    for (const auto& [id, value] : node->params) params.insert(id);
    for (const auto& [id, format] : node->weights) weights.insert(id);
  }
  for (const std::string& id : params) add(fields, id, param_text(before, id), param_text(after, id));
  for (const std::string& id : weights) add(fields, "weights " + id, weight_text(before, id), weight_text(after, id));
  add(fields, "bypassed", yes_no(before.bypassed), yes_no(after.bypassed));
  add(fields, "frozen", yes_no(before.frozen), yes_no(after.frozen));
  add(fields, "tied to", before.tie, after.tie);
  add(fields, "device", before.device, after.device);
  add(fields, "other fields", before.extra, after.extra);
  return fields;
}

std::vector<FieldChange> fields_of(const Frame& before, const Frame& after) {
  std::vector<FieldChange> fields;
  add(fields, "title", before.title, after.title);
  add(fields, "colour", before.colour, after.colour);
  add(fields, "text", before.text.value_or(""), after.text.value_or(""));
  add(fields, "other fields", before.extra, after.extra);
  return fields;
}

std::string policy_text(const Precision& precision) {
  std::string text(name(precision.policy));
  if (precision.policy == Policy::autocast) text += " " + std::string(info(precision.low).name);
  return text;
}

std::string promoted_text(const Group& group, const std::string& id) {
  const auto found = std::ranges::find(group.params, id, &PromotedParam::id);
  if (found == group.params.end()) return "none";
  return found->node + "." + found->param + (found->label.empty() ? "" : ", “" + found->label + "”");
}

std::vector<FieldChange> fields_of(const Group& before, const Group& after) {
  std::vector<FieldChange> fields;
  add(fields, "title", before.title, after.title);
  std::set<std::string> params;
  for (const Group* group : {&before, &after})
    for (const PromotedParam& param : group->params) params.insert(param.id);
  for (const std::string& id : params)
    add(fields, "parameter " + id, promoted_text(before, id), promoted_text(after, id));
  if (fields.empty() && before.params != after.params) add(fields, "parameters", "in one order", "in another");
  add(fields, "other fields", before.extra, after.extra);
  return fields;
}

/// Nodes, wires and frames; not what is in instances.
LevelComparison compare_level(const Graph& before, const Graph& after) {
  LevelComparison found;
  for (const auto& [id, node] : before.nodes())
    if (!after.find(id)) found.differences.push_back({Change::removed, Of::node, id});
  for (const auto& [id, node] : after.nodes()) {
    const Node* old = before.find(id);
    if (!old) {
      found.differences.push_back({Change::added, Of::node, id});
    } else if (*old != node) {
      auto fields = fields_of(*old, node);
      if (fields.empty())
        found.moved.push_back(id);
      else
        found.differences.push_back({Change::changed, Of::node, id, {}, std::move(fields)});
    }
  }
  for (const Link& link : before.links())
    if (!after.has_link(link)) found.differences.push_back({Change::removed, Of::wire, link.to, link});
  for (const Link& link : after.links())
    if (!before.has_link(link)) found.differences.push_back({Change::added, Of::wire, link.to, link});
  for (const auto& [id, frame] : before.frames())
    if (!after.frames().contains(id)) found.differences.push_back({Change::removed, Of::frame, id});
  for (const auto& [id, frame] : after.frames()) {
    const auto old = before.frames().find(id);
    if (old == before.frames().end()) {
      found.differences.push_back({Change::added, Of::frame, id});
    } else if (old->second != frame) {
      auto fields = fields_of(old->second, frame);
      if (fields.empty())
        found.moved.push_back(id);
      else
        found.differences.push_back({Change::changed, Of::frame, id, {}, std::move(fields)});
    }
  }
  return found;
}

/// From left to right, as they lie in the graph that has them.
void sort(std::vector<Difference>& differences, const Graph& before, const Graph& after) {
  const auto place = [&](const Difference& d) -> std::pair<double, double> {
    const Graph& graph = d.kind == Change::removed ? before : after;
    if (d.of == Of::frame) {
      const Frame& frame = graph.frames().at(d.id);
      return {frame.x, frame.y};
    }
    const Node* node = d.of == Of::graph ? nullptr : graph.find(d.id);
    return node ? std::pair(node->x, node->y) : std::pair(-1e300, 0.0);
  };
  std::ranges::stable_sort(differences, {}, place);
}

}  // namespace

GraphComparison compare_graphs(const Graph& before, const Graph& after) {
  GraphComparison levels;
  LevelComparison& document = levels[""];
  document = compare_level(before, after);
  if (before.precision != after.precision) {
    Difference policy{Change::changed, Of::graph, ""};
    policy.fields = {{"precision policy", policy_text(before.precision), policy_text(after.precision)}};
    document.differences.push_back(std::move(policy));
  }
  if (before.weight_names != after.weight_names) {
    Difference names{Change::changed, Of::graph, ""};
    std::map<std::string, std::pair<std::string, std::string>> both;
    for (const auto& [parameter, tensor] : before.weight_names) both[parameter].first = tensor;
    for (const auto& [parameter, tensor] : after.weight_names) both[parameter].second = tensor;
    for (const auto& [parameter, tensors] : both)
      add(names.fields, "name of " + parameter + " in files", tensors.first, tensors.second);
    document.differences.push_back(std::move(names));
  }
  if (before.extra != after.extra)
    document.differences.push_back({Change::changed, Of::graph, "", {}, {{"other fields", before.extra, after.extra}}});
  for (const auto& [id, group] : before.groups())
    if (!after.find_group(id)) document.differences.push_back({Change::removed, Of::graph, id});
  for (const auto& [id, group] : after.groups()) {
    const Group* old = before.find_group(id);
    if (!old) {
      document.differences.push_back({Change::added, Of::graph, id});
      continue;
    }
    if (old == group.get() || *old == *group) continue;
    LevelComparison level = compare_level(old->graph, group->graph);
    if (auto fields = fields_of(*old, *group); !fields.empty())
      level.differences.push_back({Change::changed, Of::graph, id, {}, std::move(fields)});
    levels[id] = std::move(level);
  }

  // Definitions that differ, those among them whose instances hold one that does.
  std::set<std::string> differ;
  for (const auto& [id, level] : levels)
    if (!id.empty() && !level.differences.empty()) differ.insert(id);
  const auto holds_one = [&](const Graph& graph) {
    return std::ranges::any_of(graph.nodes(), [&](const auto& entry) {
      const auto group = group_of(entry.second);
      return group && differ.contains(std::string(*group));
    });
  };
  for (bool more = !differ.empty(); more;) {
    more = false;
    for (const auto& [id, group] : after.groups())
      if (!differ.contains(id) && before.find_group(id) && holds_one(group->graph)) more = differ.insert(id).second;
  }
  const auto mark = [&](const std::string& level, const Graph& old, const Graph& now) {
    for (const auto& [id, node] : now.nodes()) {
      const auto group = group_of(node);
      if (!group || !differ.contains(std::string(*group))) continue;
      std::vector<Difference>& list = levels[level].differences;
      const auto known =
          std::ranges::find_if(list, [&](const Difference& d) { return d.of == Of::node && d.id == id; });
      if (known != list.end()) {
        known->inside = known->kind == Change::changed;
      } else if (old.find(id)) {
        Difference inside{Change::changed, Of::node, id};
        inside.inside = true;
        list.push_back(std::move(inside));
      }
    }
  };
  mark("", before, after);
  for (const std::string& id : differ) mark(id, before.find_group(id)->graph, after.find_group(id)->graph);
  sort(levels[""].differences, before, after);
  for (auto& [id, level] : levels)
    if (!id.empty()) sort(level.differences, before.find_group(id)->graph, after.find_group(id)->graph);
  std::erase_if(levels, [](const auto& level) { return level.second == LevelComparison(); });
  return levels;
}

bool same(const GraphComparison& comparison) {
  return std::ranges::all_of(comparison, [](const auto& level) { return level.second.differences.empty(); });
}

std::string words_of(const Difference& d, const Graph& level) {
  switch (d.of) {
    case Of::wire:
      return "wire " + d.link.from + "." + d.link.from_socket + " → " + d.link.to + "." + d.link.to_socket;
    case Of::frame: {
      const auto frame = level.frames().find(d.id);
      return "frame " + (frame == level.frames().end() || frame->second.title.empty() ? d.id : frame->second.title);
    }
    case Of::graph:
      return d.id.empty() ? "graph" : "group " + d.id;
    case Of::node:
      break;
  }
  const Node* node = level.find(d.id);
  return "node " + d.id + (node ? " (" + display_name(*node) + ")" : "");
}

}  // namespace hw
