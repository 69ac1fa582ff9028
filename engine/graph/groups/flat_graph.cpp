#include "engine/graph/groups/flat_graph.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "engine/core/overloaded.h"
#include "engine/graph/edit_effects.h"
#include "engine/graph/graph_diff.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/scope.h"

namespace hw {
namespace {

/// The path, or of an input of a bypassed group the instance: which input it hands through depends on which are wired.
std::string whole_of_bypassed(const Graph& document, const std::string& path) {
  const NodePlace place(document, path);
  const bool is_input = place.node && place.node->type == kInputType && place.scope().bypassed;
  return is_input ? path.substr(0, path.rfind('/')) : path;
}

/// The path, and those of instances in it, that these nodes are at or in.
std::set<std::string> occupied(const std::string& path, const auto& nodes) {
  std::set<std::string> places;
  for (const std::string& id : nodes) {
    places.insert(path);
    for (size_t at = id.find('/', path.size() + 1); at != id.npos; at = id.find('/', at + 1))
      places.insert(id.substr(0, at));
  }
  return places;
}

/// In order, each once.
std::vector<std::string> sorted(std::vector<std::string> ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

bool is_within_group(const std::string& id) {
  return id.find('/') != id.npos;
}

bool has_something_below(const Graph& flat, const std::string& path) {
  const std::string below = path + "/";
  const auto node = flat.nodes().lower_bound(below);
  return (node != flat.nodes().end() && node->first.starts_with(below)) || !flat.wired_ids(below).empty();
}

/// The paths that an edit changes.
class Changed {
 public:
  Changed(const Graph& document, const Graph& flat) : document_(document), flat_(flat) {}

  std::vector<std::string> of(const Edits& edits) {
    for (const Edit& edit : edits) {
      std::visit(Overloaded{
                     [&](const AddNode& e) { add(e.node->id); },
                     [&](const RemoveNode& e) { add_removed(e.id); },
                     [&](const SetParam& e) { add_param(e.node, e.param); },
                     [](const MoveNode&) {},  // copy_plain() has it
                     [&](const SetsNode auto& e) { add(e.node); },
                     [&](const AddLink& e) { add_target(e.link); },
                     [&](const RemoveLink& e) { add_target(e.link); },
                     [&](const SetGroup& e) { add_instances(e.group->id); },
                     [&](const RemoveGroup& e) { add_instances(e.id); },
                     [](const SetPolicy&) {},
                     [](const SetWeightNames&) {},
                     [](const SetFrame&) {},
                     [](const RemoveFrame&) {},
                 },
                 edit);
    }
    return sorted(std::move(paths_));
  }

 private:
  void add(const std::string& id) { paths_.push_back(id); }
  /// And what its wires, which go with it, led to; and what was tied to it, or to its nodes: one of these is the owner
  /// now.
  void add_removed(const std::string& id) {
    add(id);
    for (const Link& link : flat_.links_from(id)) add(link.to);
    if (!tied_) {
      tied_.emplace();
      for (const auto& [other, node] : flat_.nodes())
        if (!node.tie.empty()) tied_->push_back(&node);
    }
    const std::string below = id + "/";
    for (const Node* node : *tied_)
      if (node->tie == id || node->tie.starts_with(below)) add(node->id);
  }
  void add_param(const std::string& id, const std::string& param) {
    const Node* node = document_.find(id);
    const auto places = node ? flat_params(document_scope(document_), *node, param)
                             : std::vector<std::pair<std::string, std::string>>();
    for (const auto& [path, its] : places) add(path);
    if (places.empty()) add(id);
  }
  void add_target(const Link& link) {
    const Node* node = document_.find(link.to);
    const Scope scope = document_scope(document_);
    const auto inside = node ? enter(scope, *node) : std::nullopt;
    const Node* input = inside ? inside->graph->find(link.to_socket) : nullptr;
    const bool is_input = input && input->type == kInputType;
    add(is_input ? whole_of_bypassed(document_, link.to + "/" + link.to_socket) : link.to);
  }
  void add_instances(const std::string& group) {
    for (const std::string& path : instances_of(document_, group)) add(path);
  }

  const Graph& document_;
  const Graph& flat_;
  std::optional<std::vector<const Node*>> tied_;  // all nodes that use the parameters of others, once asked for
  std::vector<std::string> paths_;
};

}  // namespace

void FlatGraph::reset(const Graph& document) {
  flat_ = flatten(document);
  nested_ = std::ranges::any_of(std::views::keys(flat_.nodes()), is_within_group) ||
            std::ranges::any_of(flat_.wired_ids(""), is_within_group);
}

bool FlatGraph::is_plain(const Graph& document, const std::string& path) const {
  if (is_within_group(path)) return false;
  const Node* node = document.find(path);
  return !(node && group_of(*node)) && !(nested_ && has_something_below(flat_, path));
}

void FlatGraph::replace(const std::string& id, const Node* after, const std::vector<Link>& links) {
  const Node* before = flat_.find(id);
  const bool rewired = flat_.links_into(id) != links;
  if (!rewired && before && after && equal_but_looks(*before, *after)) {  // a drag in a group touches nothing
    flat_.node(id) = *after;
    return;
  }
  if (!rewired && !before && !after) return;
  nested_ = nested_ || is_within_group(id);
  if (rewired) rewired_.push_back(id);
  const std::vector<Link> old_links = flat_.links_into(id);
  if (!before != !after) {
    for (const Link& link : flat_.links_from(id)) {
      touched_.push_back(link.to);
      rewired_.push_back(link.to);
    }
  }
  if (!before || !after) {  // a wire to what is not there is its source's error
    for (const auto* list : {&old_links, &links})
      for (const Link& link : *list) touched_.push_back(link.from);
  }
  touched_.push_back(id);
  if (rewired) {
    for (const Link& link : old_links) flat_.remove_link(link);
    for (const Link& link : links) flat_.add_link(link);
  }
  if (before && after) {
    flat_.node(id) = *after;
  } else if (before) {
    flat_.remove_node(id);
  } else if (after) {
    flat_.add_node(*after);
  }
}

void FlatGraph::refresh_plain(const Graph& document, const std::string& path) {
  const Scope scope = document_scope(document);
  std::vector<Link> links;
  for (const Link& link : document.links_into(path)) links.push_back(flat_link(scope, link));
  const auto order = [](const Link& link) { return std::tie(link.to_socket, link.from, link.from_socket); };
  std::ranges::sort(links, {}, order);  // as a graph has them: some may come from within groups now
  if (const Node* node = document.find(path)) {
    const Node now = flat_node(scope, *node);
    replace(path, &now, links);
  } else {  // its wires dangle
    replace(path, nullptr, links);
  }
}

void FlatGraph::refresh(const Graph& document, const std::string& path) {
  const NodePlace place(document, path);
  Graph now;
  if (place.node) {
    expand(place.scope(), *place.node, now);
  } else if (place.scope().prefix.size() == path.rfind('/') + 1 && !place.scope().bypassed) {  // its wires dangle
    for (const Link& link : place.scope().graph->links_into(path.substr(place.scope().prefix.size())))
      now.add_link(flat_link(place.scope(), link));
  }
  const std::string below = path + "/";
  std::set<std::string> ids{path};
  for (std::string& id : nodes_at(flat_, path)) ids.insert(std::move(id));
  for (const auto& [id, node] : now.nodes()) ids.insert(id);
  for (const Graph* graph : {&std::as_const(flat_), &std::as_const(now)}) {  // wires may lead to what is not there
    for (std::string& id : graph->wired_ids(below)) ids.insert(std::move(id));
  }
  // Whether a wire to an instance leads to a socket or to nothing is known at its other end.
  const std::set<std::string> had = occupied(path, nodes_at(flat_, path));
  const std::set<std::string> has = occupied(path, std::views::keys(now.nodes()));
  std::vector<std::string> turned;
  std::ranges::set_symmetric_difference(had, has, std::back_inserter(turned));
  for (const std::string& instance : turned) {
    for (const Link& link : flat_.links_into(instance)) touched_.push_back(link.from);
    for (const Link& link : flat_.links_from(instance)) touched_.push_back(link.to);
  }
  for (const std::string& id : ids) replace(id, now.find(id), now.links_into(id));
}

void FlatGraph::copy_plain(const Graph& document, const Edit& edit) {
  const Effects effects = may_change(edit);
  if (effects.policy) flat_.precision = document.precision;
  if (effects.weights) flat_.weight_names = document.weight_names;
  if (const auto* set = std::get_if<SetFrame>(&edit)) flat_.set_frame(set->frame);
  if (const auto* removed = std::get_if<RemoveFrame>(&edit)) flat_.remove_frame(removed->id);
  const auto* move = std::get_if<MoveNode>(&edit);
  const Node* node = move ? document.find(move->node) : nullptr;
  if (!node || !flat_.find(move->node)) return;
  flat_.node(move->node).x = node->x;
  flat_.node(move->node).y = node->y;
}

FlatChange FlatGraph::update(const Graph& document, const Edits& edits) {
  touched_.clear();
  rewired_.clear();
  for (const Edit& edit : edits) copy_plain(document, edit);
  const std::vector<std::string> changed = Changed(document, flat_).of(edits);
  // What lies at or in one of these has its own turn, which begins with the wires that it had.
  const auto has_a_turn = [&](const std::string& id) {
    for (size_t end = id.find('/'); end != id.npos; end = id.find('/', end + 1))
      if (std::ranges::binary_search(changed, id.substr(0, end))) return true;
    return std::ranges::binary_search(changed, id);
  };
  for (const std::string& path : changed) {
    if (is_plain(document, path)) {
      refresh_plain(document, path);
      continue;
    }
    // The wires of what is no more, or is a group now, come from elsewhere.
    std::set<std::string> behind;
    std::vector<std::string> at = nodes_at(flat_, path);
    if (at.empty() || at.front() != path) at.push_back(path);  // wires may come from what is not there
    for (const std::string& id : at)
      for (const Link& link : flat_.links_from(id)) behind.insert(whole_of_bypassed(document, link.to));
    refresh(document, path);
    for (const std::string& id : behind)
      if (!has_a_turn(id)) refresh(document, id);
  }
  return {sorted(std::exchange(touched_, {})), sorted(std::exchange(rewired_, {}))};
}

}  // namespace hw
