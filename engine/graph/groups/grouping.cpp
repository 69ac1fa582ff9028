#include "engine/graph/groups/grouping.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/graph/groups/copy_groups.h"
#include "engine/graph/groups/group_edits.h"
#include "engine/graph/groups/reroute.h"
#include "engine/graph/groups/spacing.h"

namespace hw {
namespace {

constexpr char kGroupPrefix[] = "group:", kStem[] = "group";

bool is_socket(const Node& node) {
  return node.type == kInputType || node.type == kOutputType;
}

std::string free_group_id(const Graph& document, const std::string& stem) {
  std::string id = stem;
  for (int n = 2; document.find_group(id); ++n) id = stem + "_" + std::to_string(n);
  return id;
}

/// "Group 2" of "group_2".
std::string titled(std::string title) {
  title.front() = static_cast<char>(title.front() - 'a' + 'A');
  std::ranges::replace(title, '_', ' ');
  return title;
}

/// The middle of the nodes' top left corners.
struct Bounds {
  double left = std::numeric_limits<double>::max(), top = left, right = -left, bottom = -left;
  void add(const Node& node) {
    left = std::min(left, node.x);
    right = std::max(right, node.x);
    top = std::min(top, node.y);
    bottom = std::max(bottom, node.y);
  }
  double x() const { return std::round((left + right) / 2); }
  double y() const { return std::round((top + bottom) / 2); }
};

/// What a socket's label and kind are, of a node or an instance.
struct Socket {
  std::string label;
  Kind kind = Kind::tensor;
};
Socket socket_of(const Scope& scope, const Node& node, const std::string& id, bool is_output) {
  if (node.type == kRerouteType) {
    const auto source = source_of(*scope.graph, {node.id, "y", "", ""});
    return source ? socket_of(scope, *scope.graph->find(source->from), source->from_socket, true) : Socket{};
  }
  if (const auto inside = enter(scope, node)) {
    const Node* inner = inside->graph->find(id);
    if (!inner) return {};
    const Declaration declared = Registry::instance().find(inner->type)->declared(inner->params);
    return {inner->label, declared->outputs().front().kind};
  }
  const NodeType* type = Registry::instance().find(node.type);
  if (!type) return {};
  const Declaration declared = type->declared(node.params);
  const SocketDecl* socket = is_output ? declared->find_output(id) : declared->find_input(id);
  return socket ? Socket{socket->label, socket->kind} : Socket{};
}

/// A socket's id may have capitals, a node's not.
std::string as_node_id(const std::string& socket) {
  std::string id;
  for (const char c : socket) id += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return id;
}

/// The definition of a group out of nodes that are there.
class Definition {
 public:
  Definition(const Scope& scope, std::set<std::string> nodes) : scope_(scope), nodes_(std::move(nodes)) {
    for (const std::string& id : nodes_) {
      const Node& node = *scope.graph->find(id);
      bounds_.add(node);
      graph_.add_node(node);
    }
  }

  /// Takes the wires of the nodes; those from and to outside become sockets, and wires of the instance.
  void wire(const std::string& instance) {
    std::map<std::pair<std::string, std::string>, std::string> inputs, outputs;  // by source
    for (const std::string& id : nodes_) {
      for (const Link& link : scope_.graph->links_into(id)) {
        if (nodes_.contains(link.from)) {
          graph_.add_link(link);
          continue;
        }
        const auto [known, is_new] = inputs.try_emplace({link.from, link.from_socket});
        if (is_new) {
          known->second = add_socket(kInputType, link.to, link.to_socket);
          outside_.push_back({link.from, link.from_socket, instance, known->second});
        }
        graph_.add_link({known->second, "y", link.to, link.to_socket});
      }
      for (const Link& link : scope_.graph->links_from(id)) {
        if (nodes_.contains(link.to)) continue;
        const auto [known, is_new] = outputs.try_emplace({link.from, link.from_socket});
        if (is_new) {
          known->second = add_socket(kOutputType, link.from, link.from_socket);
          graph_.add_link({link.from, link.from_socket, known->second, "x"});
        }
        outside_.push_back({instance, known->second, link.to, link.to_socket});
      }
    }
  }

  Graph take() { return std::move(graph_); }
  const std::vector<Link>& outside() const { return outside_; }
  const Bounds& bounds() const { return bounds_; }

 private:
  /// An Input or Output for a socket of a node, beside all nodes and level with that one.
  std::string add_socket(const char* type, const std::string& at, const std::string& socket) {
    const bool is_input = type == kInputType;
    const Node& node = *scope_.graph->find(at);
    const Socket like = socket_of(scope_, node, socket, !is_input);
    Node added;
    added.id = graph_.fresh_id(as_node_id(socket));
    added.type = type;
    added.label = like.label;
    if (like.kind != Kind::tensor) added.params["kind"] = std::string(name(like.kind));
    double& lowest = is_input ? lowest_input_ : lowest_output_;
    added.x = is_input ? bounds_.left - kColumn : bounds_.right + kColumn;
    added.y = lowest = std::max(node.y, lowest + kRow);
    graph_.add_node(added);
    return added.id;
  }

  const Scope& scope_;
  const std::set<std::string> nodes_;
  Graph graph_;
  std::vector<Link> outside_;
  Bounds bounds_;
  double lowest_input_ = -std::numeric_limits<double>::infinity(), lowest_output_ = lowest_input_;
};

Status check_ties(const Graph& graph, const std::set<std::string>& nodes) {
  for (const auto& [id, node] : graph.nodes()) {
    if (node.tie.empty() || !graph.find(node.tie) || nodes.contains(id) == nodes.contains(node.tie)) continue;
    return group_refused(id,
                         "\"" + id + "\" uses the weights of \"" + node.tie + "\", and one of them would be outside.",
                         "Select both, or give it weights of its own.");
  }
  return ok();
}

/// An instance that shares no weights with another.
Result<const Node*> free_instance(const Scope& scope, const std::string& id) {
  const Node* node = scope.graph->find(id);
  if (!node || !definition(scope, *node)) return group_refused(id, "\"" + id + "\" is no instance of a group.");
  if (!node->tie.empty() || !tied_to(*scope.graph, id).empty())
    return group_refused(id, "\"" + id + "\" shares its weights with another instance.",
                         "Give each weights of its own.");
  return node;
}

/// The nodes of an instance, under their ids where these are free around it.
class Contents {
 public:
  Contents(const Scope& scope, const Node& instance)
      : scope_(scope), instance_(instance), inside_(*enter(scope, instance)) {
    Graph taken = *scope.graph;  // to find ids that are free together
    for (const auto& [id, node] : inside_.graph->nodes()) {
      if (is_socket(node)) continue;
      Node copy = given_node(inside_, node);
      if (taken.find(id)) copy.id = taken.fresh_id(group_of(node).value_or(node.type));
      copy.frozen = node.frozen || instance.frozen;
      if (copy.device.empty()) copy.device = instance.device;
      ids_[id] = copy.id;
      bounds_.add(node);
      taken.add_node(copy);
      nodes_.push_back(std::move(copy));
    }
    for (Node& node : nodes_) {
      if (const auto owner = ids_.find(node.tie); owner != ids_.end()) node.tie = owner->second;
      node.x += instance.x - bounds_.x();
      node.y += instance.y - bounds_.y();
    }
    for (const auto& [id, frame] : inside_.graph->frames()) {
      Frame copy = frame;
      if (taken.frames().contains(id)) copy.id = taken.fresh_frame_id(id);
      copy.x += instance.x - bounds_.x();
      copy.y += instance.y - bounds_.y();
      taken.set_frame(copy);
      frames_.push_back(std::move(copy));
    }
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  /// Those around it, by those in it.
  const std::map<std::string, std::string>& ids() const { return ids_; }
  const std::vector<Frame>& frames() const { return frames_; }
  std::vector<Link> links() const {
    std::vector<Link> all;
    for (const auto& [id, renamed] : ids_) {
      for (const Link& link : inside_.graph->links_into(id))
        if (const auto from = source(link)) all.push_back({from->first, from->second, renamed, link.to_socket});
    }
    for (const Link& link : scope_.graph->links_from(instance_.id)) {
      if (link.to == instance_.id) continue;
      for (const Link& last : inside_.graph->links_into(link.from_socket, "x"))
        if (const auto from = source(last)) all.push_back({from->first, from->second, link.to, link.to_socket});
    }
    return all;
  }

 private:
  /// Where what a wire inside carries comes from, outside.
  std::optional<std::pair<std::string, std::string>> source(const Link& link) const {
    const Node* from = inside_.graph->find(link.from);
    if (!from) return std::nullopt;
    if (!is_socket(*from)) return std::pair(ids_.at(link.from), link.from_socket);
    const bool is_input = from->type == kInputType;
    const auto before =
        is_input ? scope_.graph->links_into(instance_.id, from->id) : inside_.graph->links_into(from->id, "x");
    if (before.empty()) return std::nullopt;
    if (!is_input) return source(before.front());
    if (before.front().from == instance_.id) return std::nullopt;
    return std::pair(before.front().from, before.front().from_socket);
  }

  const Scope& scope_;
  const Node& instance_;
  const Scope inside_;
  std::map<std::string, std::string> ids_;
  std::vector<Node> nodes_;
  std::vector<Frame> frames_;
  Bounds bounds_;
};

/// The edits for one instance; `done` learns what came of it.
Result<Edits> ungroup_one(const Scope& scope, const Node& instance, Ungrouped& done) {
  if (instance.bypassed)
    return group_refused(instance.id, "\"" + instance.id + "\" is bypassed.", "Stop bypassing it first.");
  const Contents contents(scope, instance);
  Edits edits{RemoveNode{instance.id}};
  for (const auto& [id, renamed] : contents.ids()) done.moved[instance.id + "/" + id] = renamed;
  for (const Node& inner : contents.nodes()) {
    edits.push_back(AddNode{inner});
    done.nodes.push_back(inner.id);
  }
  for (const Frame& frame : contents.frames()) {
    edits.push_back(SetFrame{frame});
    done.frames.push_back(frame.id);
  }
  for (const Link& link : contents.links()) edits.push_back(AddLink{link});
  return edits;
}

}  // namespace

size_t count_instances(const Graph& document, std::string_view group) {
  const auto in = [&](const Graph& graph) {
    return std::ranges::count_if(graph.nodes(), [&](const auto& entry) { return group_of(entry.second) == group; });
  };
  auto count = in(document);
  for (const auto& [id, other] : document.groups()) count += in(other->graph);
  return static_cast<size_t>(count);
}

Result<NewGroup> make_group(const Scope& scope, const std::set<std::string>& nodes,
                            const std::set<std::string>& frames) {
  std::set<std::string> inner;
  for (const std::string& id : nodes) {
    const Node* node = scope.graph->find(id);
    if (node && !is_socket(*node)) inner.insert(id);
  }
  if (inner.empty())
    return group_refused({}, "there is nothing to group.", "Select nodes; Inputs and Outputs stay where they are.");
  HW_CHECK(check_ties(*scope.graph, inner));
  HW_CHECK(refuse_promoted(scope, inner));

  Group group;
  group.id = free_group_id(*scope.document, kStem);
  group.title = titled(group.id);
  NewGroup made;
  made.instance = scope.graph->fresh_id(group.id);
  Definition inside(scope, inner);
  inside.wire(made.instance);
  Node instance;
  instance.id = made.instance;
  instance.type = kGroupPrefix + group.id;
  instance.x = inside.bounds().x();
  instance.y = inside.bounds().y();
  group.graph = inside.take();
  for (const std::string& id : frames) {
    const auto frame = scope.graph->frames().find(id);
    if (frame == scope.graph->frames().end()) continue;
    group.graph.set_frame(frame->second);
    made.edits.push_back(RemoveFrame{id});
  }
  made.edits.push_back(SetGroup{std::move(group)});
  for (const std::string& id : inner) {
    made.edits.push_back(RemoveNode{id});
    made.moved[id] = made.instance + "/" + id;
  }
  made.edits.push_back(AddNode{std::move(instance)});
  for (const Link& link : inside.outside()) made.edits.push_back(AddLink{link});
  return made;
}

Result<Ungrouped> ungroup(const Scope& scope, const std::set<std::string>& instances) {
  if (instances.empty()) return group_refused({}, "there is nothing to ungroup.", "Select instances of groups.");
  HW_CHECK(refuse_promoted(scope, instances));
  Graph left = *scope.graph;  // as each finds it
  Scope now = scope;
  now.graph = &left;
  if (!scope.outer) now.document = &left;
  Ungrouped done;
  std::map<std::string, size_t> dissolved;  // by group
  for (const std::string& id : instances) {
    HW_TRY(const Node* node, free_instance(now, id));
    ++dissolved[std::string(*group_of(*node))];
    HW_TRY(const Edits edits, ungroup_one(now, *node, done));
    HW_CHECK(apply_edits(left, edits));
    done.edits.insert(done.edits.end(), edits.begin(), edits.end());
  }
  for (const auto& [group, count] : dissolved)
    if (count_instances(*scope.document, group) == count) done.edits.push_back(RemoveGroup{group});
  return done;
}

MovedNodes moved_in_document(const Scope& scope, const MovedNodes& moved) {
  const Group* around = definition_at(scope);
  if (!around) return moved;
  MovedNodes all;
  for (const std::string& instance : instances_of(*scope.document, around->id))
    for (const auto& [from, to] : moved) all[instance + "/" + from] = instance + "/" + to;
  return all;
}

Result<Edits> make_unique_group(const Scope& scope, const std::string& instance) {
  HW_TRY(const Node* node, free_instance(scope, instance));
  Group copy = *definition(scope, *node);
  copy.id = free_group_id(*scope.document, copy.id);
  copy.title = numbered_title(copy.title, copy.id);
  Node changed = *node;
  changed.type = kGroupPrefix + copy.id;
  Edits edits{SetGroup{std::move(copy)}, RemoveNode{instance}, AddNode{std::move(changed)}};
  for (const Link& link : scope.graph->links_into(instance)) edits.push_back(AddLink{link});
  for (const Link& link : scope.graph->links_from(instance))
    if (link.to != instance) edits.push_back(AddLink{link});
  return edits;
}

}  // namespace hw
