#include "engine/graph/flat_graph.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "engine/core/overloaded.h"
#include "engine/graph/flatten.h"
#include "engine/graph/graph_diff.h"
#include "engine/graph/scope.h"

namespace hw {
namespace {

/// The path, or of an input of a bypassed group the instance: which input it hands through is told by which are wired.
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

/// The paths that an edit changes.
class Changed {
 public:
  Changed(const Graph& document, const Graph& flat) : document_(document), flat_(flat) {}

  std::set<std::string> of(const Edits& edits) {
    for (const Edit& edit : edits) {
      std::visit(Overloaded{
                     [&](const AddNode& e) { add(e.node.id); },
                     [&](const RemoveNode& e) { add_removed(e.id); },
                     [&](const SetParam& e) { add_param(e.node, e.param); },
                     [&](const SetLabel& e) { add(e.node); },
                     [&](const SetFlags& e) { add(e.node); },
                     [&](const SetFrozen& e) { add(e.node); },
                     [&](const SetTie& e) { add(e.node); },
                     [&](const SetDevice& e) { add(e.node); },
                     [&](const SetWeight& e) { add(e.node); },
                     [&](const AddLink& e) { add_target(e.link); },
                     [&](const RemoveLink& e) { add_target(e.link); },
                     [&](const SetGroup& e) { add_instances(e.group.id); },
                     [&](const RemoveGroup& e) { add_instances(e.id); },
                     [](const auto&) {},
                 },
                 edit);
    }
    return std::move(paths_);
  }

 private:
  void add(const std::string& id) { paths_.insert(id); }
  /// And what was tied to it, or to its nodes: one of these is the owner now.
  void add_removed(const std::string& id) {
    paths_.insert(id);
    if (!tied_) {
      tied_.emplace();
      for (const auto& [other, node] : flat_.nodes())
        if (!node.tie.empty()) tied_->push_back(&node);
    }
    const std::string below = id + "/";
    for (const Node* node : *tied_)
      if (node->tie == id || node->tie.starts_with(below)) paths_.insert(node->id);
  }
  void add_param(const std::string& id, const std::string& param) {
    const Node* node = document_.find(id);
    const auto place = node ? flat_param(document_scope(document_), *node, param) : std::nullopt;
    paths_.insert(place ? place->first : id);
  }
  void add_target(const Link& link) {
    const Node* node = document_.find(link.to);
    const Scope scope = document_scope(document_);
    const auto inside = node ? enter(scope, *node) : std::nullopt;
    const Node* input = inside ? inside->graph->find(link.to_socket) : nullptr;
    const bool is_input = input && input->type == kInputType;
    paths_.insert(is_input ? whole_of_bypassed(document_, link.to + "/" + link.to_socket) : link.to);
  }
  void add_instances(const std::string& group) { paths_.merge(instances_of(document_, group)); }

  const Graph& document_;
  const Graph& flat_;
  std::optional<std::vector<const Node*>> tied_;  // all nodes that use the parameters of others, once asked for
  std::set<std::string> paths_;
};

}  // namespace

void FlatGraph::reset(const Graph& document) {
  flat_ = flatten(document);
}

void FlatGraph::remove(const std::string& id) {
  for (const Link& link : std::vector(flat_.links_into(id))) flat_.remove_link(link);
  if (flat_.find(id)) flat_.remove_node(id);
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
  // Whether a wire to an instance leads to a socket or to nothing is told at its other end.
  const std::set<std::string> had = occupied(path, nodes_at(flat_, path));
  const std::set<std::string> has = occupied(path, std::views::keys(now.nodes()));
  std::vector<std::string> turned;
  std::ranges::set_symmetric_difference(had, has, std::back_inserter(turned));
  for (const std::string& instance : turned) {
    for (const Link& link : flat_.links_into(instance)) touched_.insert(link.from);
    for (const Link& link : flat_.links_from(instance)) touched_.insert(link.to);
  }
  for (const std::string& id : ids) {
    const Node *before = flat_.find(id), *after = now.find(id);
    const std::vector<Link> old_links = flat_.links_into(id), links = now.links_into(id);
    const bool rewired = old_links != links;
    if (!rewired && before && after && equal_but_place(*before, *after)) {  // a drag in a group touches nothing
      flat_.node(id) = *after;
      continue;
    }
    if (!rewired && !before && !after) continue;
    if (rewired) rewired_.insert(id);
    if (!before != !after) {
      for (const Link& link : flat_.links_from(id)) {
        touched_.insert(link.to);
        rewired_.insert(link.to);
      }
    }
    if (!before || !after) {  // a wire to what is not there is its source's error
      for (const auto* list : {&old_links, &links})
        for (const Link& link : *list) touched_.insert(link.from);
    }
    touched_.insert(id);
    remove(id);
    if (after) flat_.add_node(*after);
    for (const Link& link : links) flat_.add_link(link);
  }
}

void FlatGraph::copy_plain(const Graph& document, const Edit& edit) {
  std::visit(Overloaded{
                 [&](const MoveNode& e) {
                   const Node* node = document.find(e.node);
                   if (!node || !flat_.find(e.node)) return;
                   flat_.node(e.node).x = node->x;
                   flat_.node(e.node).y = node->y;
                 },
                 [&](const SetPolicy&) { flat_.precision = document.precision; },
                 [&](const SetFrame& e) { flat_.set_frame(e.frame); },
                 [&](const RemoveFrame& e) { flat_.remove_frame(e.id); },
                 [](const auto&) {},
             },
             edit);
}

FlatChange FlatGraph::update(const Graph& document, const Edits& edits) {
  touched_.clear();
  rewired_.clear();
  for (const Edit& edit : edits) copy_plain(document, edit);
  for (const std::string& path : Changed(document, flat_).of(edits)) {
    // The wires of what is no more, or is a group now, come from elsewhere.
    std::set<std::string> behind;
    const std::string below = path + "/";
    std::vector<std::string> at = nodes_at(flat_, path);
    if (at.empty() || at.front() != path) at.push_back(path);  // wires may come from what is not there
    for (const std::string& id : at)
      for (const Link& link : flat_.links_from(id)) behind.insert(whole_of_bypassed(document, link.to));
    refresh(document, path);
    for (const std::string& id : behind) {
      if (id != path && !id.starts_with(below)) refresh(document, id);
    }
  }
  return {{touched_.begin(), touched_.end()}, {rewired_.begin(), rewired_.end()}};
}

}  // namespace hw
