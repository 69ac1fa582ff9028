#include "app/document/document_change.h"

#include <map>
#include <optional>

#include "engine/core/overloaded.h"
#include "engine/graph/edit_effects.h"
#include "engine/graph/graph_diff.h"
#include "engine/graph/groups/scope.h"

namespace hw::app {
namespace {

/// The nodes at a place of the document, "" or "block/", that are or hold instances of groups that edits change.
std::set<std::string> holders_of_changed(const Graph& document, const std::string& prefix, const Edits& edits) {
  std::set<std::string> groups, nodes;
  for (const Edit& edit : edits) {
    if (const auto* set = std::get_if<SetGroup>(&edit)) groups.insert(set->group->id);
    if (const auto* removed = std::get_if<RemoveGroup>(&edit)) groups.insert(removed->id);
  }
  for (const std::string& group : groups) {
    for (const std::string& path : instances_of(document, group))
      if (path.starts_with(prefix))
        nodes.insert(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
  }
  return nodes;
}

}  // namespace

DocumentChange::DocumentChange(const Graph& document, const ShownGraph& shown, const Edits& edits)
    : was_empty(document.nodes().empty()), before_(shown.definition()) {
  before_ ? visit_group(shown, edits) : visit_document(document, edits);
}

void DocumentChange::visit_document(const Graph& document, const Edits& edits) {
  const auto mention = [&](const std::string& id) {
    if (mentioned_.insert(id).second && document.find(id)) existed_.insert(id);
  };
  const auto wire = [&](const Link& link) { wired.insert({link.from, link.to}); };
  std::optional<std::multimap<std::string, std::string>> tied;  // by owner, once asked for
  const auto ties = [&]() -> const std::multimap<std::string, std::string>& {
    if (tied) return *tied;
    tied.emplace();
    for (const auto& [id, node] : document.nodes())
      if (!node.tie.empty()) tied->emplace(node.tie, id);
    return *tied;
  };
  for (const Edit& edit : edits) {
    const Effects effects = effects_of(document, edit);
    structure = structure || effects.structure();
    policy = policy || effects.policy;
    frames = frames || effects.frames;
    if (const std::string* node = node_set_by(edit)) changed.insert(*node);
    std::visit(Overloaded{
                   [&](const AddNode& e) { mention(e.node->id); },
                   [&](const RemoveNode& e) {
                     mention(e.id);
                     const auto [first, last] = ties().equal_range(e.id);
                     for (auto it = first; it != last; ++it) changed.insert(it->second);
                     for (const Link& link : document.links_into(e.id)) wire(link);
                     for (const Link& link : document.links_from(e.id)) wire(link);
                   },
                   [&](const AddLink& e) {
                     for (const Link& old : document.links_into(e.link.to, e.link.to_socket)) wire(old);
                     wire(e.link);
                   },
                   [&](const RemoveLink& e) { wire(e.link); },
                   [](const auto&) {},
               },
               edit);
  }
  changed.merge(holders_of_changed(document, {}, edits));
}

void DocumentChange::visit_group(const ShownGraph& shown, const Edits& edits) {
  for (const Edit& edit : edits) {
    const Effects effects = may_change(edit);
    policy = policy || effects.policy;
    // What changes in the group that is shown is seen by comparing it.
    const auto* group = std::get_if<SetGroup>(&edit);
    structure = structure || (group ? group->group->id != before_->id : effects.structure());
  }
  changed.merge(holders_of_changed(*shown.scope().document, shown.scope().prefix, edits));
  for (const auto& [place, value] : shown.scope().values) changed.insert(std::string(place.first));
}

void DocumentChange::end(const ShownGraph& shown) {
  if (before_) {
    const GraphDiff now = diff(before_->graph, shown.graph());
    frames = before_->graph.frames() != shown.graph().frames();
    removed.insert(now.removed.begin(), now.removed.end());
    added.insert(now.added.begin(), now.added.end());
    changed.insert(now.changed.begin(), now.changed.end());
    for (const Link& link : now.links) wired.insert({link.from, link.to});
    structure = structure || now.computation;
    for (const auto& [place, value] : shown.scope().values) changed.insert(std::string(place.first));
  }
  for (const std::string& id : mentioned_) {
    if (existed_.contains(id)) removed.insert(id);
    if (shown.graph().find(id)) added.insert(id);
  }
  std::erase_if(changed, [&](const std::string& id) { return !shown.graph().find(id) || added.contains(id); });
}

}  // namespace hw::app
