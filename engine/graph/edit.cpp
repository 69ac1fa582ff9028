#include "engine/graph/edit.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/graph/check_groups.h"
#include "engine/graph/frames.h"
#include "engine/graph/unread_fields.h"
#include "engine/program/device_id.h"

namespace hw {

namespace {

Error unknown_node(const std::string& id) {
  return {codes::unknown_node, id, "there is no node \"" + id + "\" in the graph.", ""};
}

bool valid_id(const std::string& id) {
  if (id.empty() || id.size() > kMostIdCharacters) return false;
  for (const char c : id) {
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_') return false;
  }
  return true;
}

/// Unknown types have no declaration to check sockets against: their links are kept as they are. So are those of types
/// whose sockets follow parameters: undo brings back a wire before the parameter that gave it its socket.
Status check_sockets(const Graph& graph, const Link& link) {
  const Node* from = graph.find(link.from);
  const Node* to = graph.find(link.to);
  if (!from) return unknown_node(link.from);
  if (!to) return unknown_node(link.to);
  const NodeType* from_type = Registry::instance().find(from->type);
  const NodeType* to_type = Registry::instance().find(to->type);
  if (from_type && !from_type->sockets && !from_type->decl.find_output(link.from_socket)) {
    return Error{codes::unknown_socket, link.from + "." + link.from_socket,
                 from_type->decl.title() + " has no output \"" + link.from_socket + "\".", ""};
  }
  if (to_type && !to_type->sockets && !to_type->decl.find_input(link.to_socket)) {
    return Error{codes::unknown_socket, link.to + "." + link.to_socket,
                 to_type->decl.title() + " has no input \"" + link.to_socket + "\".", ""};
  }
  return ok();
}

/// Whether groups may have become too large by it.
bool adds_instances(const Edit& edit) {
  const auto* node = std::get_if<AddNode>(&edit);
  return std::holds_alternative<SetGroup>(edit) || (node && group_of(*node->node));
}

/// Applies one edit and appends its inverse, to be applied in reverse order of `undo`.
class Applier {
 public:
  /// What a graph from a file has may break the rules of edits. `restores`: it comes back as it was.
  Applier(Graph& graph, Edits& undo, bool restores = false) : g_(graph), undo_(undo), restores_(restores) {}

  Status operator()(const AddNode& e) {
    if (!restores_ && !valid_id(e.node->id)) {
      return Error{codes::unknown_node, e.node->id,
                   "a node id must be 1 to " + std::to_string(kMostIdCharacters) + " of a-z, 0-9 and _.", ""};
    }
    if (g_.find(e.node->id)) return Error{codes::unknown_node, e.node->id, "the id is taken by another node.", ""};
    has_ties_ = has_ties_ || !e.node->tie.empty();
    g_.add_node(*e.node);
    undo_.push_back(RemoveNode{e.node->id});
    return ok();
  }
  Status operator()(const RemoveNode& e) {
    const Node* node = g_.find(e.id);
    if (!node) return unknown_node(e.id);
    if (!restores_) {  // wires and ties to an id that no node had were there before the node was added
      remove_links(e.id);
      hand_over_ties(e.id);
    }
    undo_.push_back(AddNode{*node});
    g_.remove_node(e.id);
    return ok();
  }
  Status operator()(const SetParam& e) {
    if (!g_.find(e.node)) return unknown_node(e.node);
    Node& node = g_.node(e.node);
    const auto old = node.params.find(e.param);
    undo_.push_back(SetParam{e.node, e.param, old == node.params.end() ? std::nullopt : std::optional(old->second)});
    std::optional<ParamValue> value = e.value;
    if (const NodeType* type = Registry::instance().find(node.type); type && !restores_) {
      const ParamDecl* decl = type->decl.find_param(e.param);
      if (!decl && value) {
        undo_.pop_back();
        return Error{codes::unknown_parameter, e.node + "." + e.param,
                     type->decl.title() + " has no parameter \"" + e.param + "\".", ""};
      }
      if (value) {
        auto checked = check_param(*decl, *value);
        if (!checked) {
          undo_.pop_back();
          Error error = checked.error();
          error.where = e.node + "." + e.param;
          return error;
        }
        value = *checked;
        if (*value == decl->value) value.reset();
      }
    }
    if (!restores_ && unread_params(node).contains(e.param)) {
      undo_.back() = AddNode{node};  // no other edit brings back what only a file can hold
      undo_.push_back(RemoveNode{e.node});
      drop_unread_param(node, e.param);
    }
    if (value) {
      node.params.insert_or_assign(e.param, *value);
    } else if (old != node.params.end()) {
      node.params.erase(old);
    }
    return ok();
  }
  Status operator()(const SetLabel& e) {
    if (!g_.find(e.node)) return unknown_node(e.node);
    undo_.push_back(SetLabel{e.node, g_.node(e.node).label});
    g_.node(e.node).label = e.label;
    return ok();
  }
  Status operator()(const MoveNode& e) {
    if (!g_.find(e.node)) return unknown_node(e.node);
    if (!std::isfinite(e.x) || !std::isfinite(e.y)) {
      return Error{codes::bad_parameter, e.node, "a position must be finite.", ""};
    }
    Node& node = g_.node(e.node);
    undo_.push_back(MoveNode{e.node, node.x, node.y});
    node.x = e.x;
    node.y = e.y;
    return ok();
  }
  Status operator()(const SetFlags& e) {
    if (!g_.find(e.node)) return unknown_node(e.node);
    Node& node = g_.node(e.node);
    undo_.push_back(SetFlags{e.node, node.collapsed, node.bypassed});
    node.collapsed = e.collapsed;
    node.bypassed = e.bypassed;
    return ok();
  }
  Status operator()(const SetPreview& e) {
    if (!g_.find(e.node)) return unknown_node(e.node);
    undo_.push_back(SetPreview{e.node, g_.node(e.node).preview});
    g_.node(e.node).preview = e.on;
    return ok();
  }
  Status operator()(const SetFrozen& e) {
    if (!g_.find(e.node)) return unknown_node(e.node);
    undo_.push_back(SetFrozen{e.node, g_.node(e.node).frozen});
    g_.node(e.node).frozen = e.frozen;
    return ok();
  }
  Status operator()(const SetTie& e) {
    if (!g_.find(e.node)) return unknown_node(e.node);
    undo_.push_back(SetTie{e.node, g_.node(e.node).tie});
    has_ties_ = has_ties_ || !e.owner.empty();
    g_.node(e.node).tie = e.owner;
    return ok();
  }
  Status operator()(const SetDevice& e) {
    if (!g_.find(e.node)) return unknown_node(e.node);
    if (!restores_ && !is_device_id(e.device))
      return Error{codes::bad_parameter, e.node, "\"" + e.device.substr(0, 40) + "\" is no device's id.",
                   "Ids are like cpu or cuda:0."};
    undo_.push_back(SetDevice{e.node, g_.node(e.node).device});
    g_.node(e.node).device = restores_ ? e.device : canonical_device_id(e.device);
    return ok();
  }
  Status operator()(const SetWeight& e) {
    if (!g_.find(e.node)) return unknown_node(e.node);
    Node& node = g_.node(e.node);
    const NodeType* type = Registry::instance().find(node.type);
    const std::string where = e.node + "." + e.weight;
    if (!restores_ && type && e.format && !type->decl.find_weight(e.weight))
      return Error{codes::unknown_parameter, where, type->decl.title() + " has no weight \"" + e.weight + "\".", ""};
    if (!restores_ && e.format && !(info(e.format->dtype).is_float && info(e.format->dtype).storable))
      return Error{codes::bad_parameter, where, std::string(name(e.format->dtype)) + " cannot store weights.",
                   "Choose a float dtype that can be stored."};
    const auto old = node.weights.find(e.weight);
    undo_.push_back(SetWeight{e.node, e.weight, old == node.weights.end() ? std::nullopt : std::optional(old->second)});
    if (e.format) {
      node.weights.insert_or_assign(e.weight, *e.format);
    } else if (old != node.weights.end()) {
      node.weights.erase(old);
    }
    return ok();
  }
  Status operator()(const SetPolicy& e) {
    if (const DType low = e.precision.low; low != DType::f16 && low != DType::bf16)
      return Error{codes::bad_parameter, "policy",
                   "autocast's narrow dtype is f16 or bf16, got " + std::string(name(low)) + ".",
                   "bf16 has the range of f32; f16 needs loss scaling."};
    undo_.push_back(SetPolicy{g_.precision});
    g_.precision = e.precision;
    return ok();
  }
  Status operator()(const SetWeightNames& e) {
    undo_.push_back(SetWeightNames{std::exchange(g_.weight_names, e.names)});
    return ok();
  }
  Status operator()(const AddLink& e) {
    if (!restores_) HW_CHECK(check_sockets(g_, e.link));
    if (g_.has_link(e.link)) return ok();
    // A file may have two links into one input, which come back one by one.
    const std::vector<Link> there = restores_ ? std::vector<Link>() : g_.links_into(e.link.to, e.link.to_socket);
    for (const Link& old : there) {
      g_.remove_link(old);
      undo_.push_back(AddLink{old});
    }
    g_.add_link(e.link);
    undo_.push_back(RemoveLink{e.link});
    return ok();
  }
  Status operator()(const RemoveLink& e) {
    if (!g_.has_link(e.link)) {
      return Error{codes::unknown_socket, e.link.to + "." + e.link.to_socket, "there is no such link.", ""};
    }
    g_.remove_link(e.link);
    undo_.push_back(AddLink{e.link});
    return ok();
  }
  Status operator()(const SetFrame& e) {
    if (!restores_ && e.frame.id.empty()) return Error{codes::bad_parameter, "", "a frame needs an id.", ""};
    if (!restores_) HW_CHECK(check_frame(e.frame));
    const auto old = g_.frames().find(e.frame.id);
    if (old == g_.frames().end()) {
      undo_.push_back(RemoveFrame{e.frame.id});
    } else {
      undo_.push_back(SetFrame{old->second});
    }
    g_.set_frame(e.frame);
    return ok();
  }
  Status operator()(const RemoveFrame& e) {
    const auto old = g_.frames().find(e.id);
    if (old == g_.frames().end()) return Error{codes::unknown_node, e.id, "there is no such frame.", ""};
    undo_.push_back(SetFrame{old->second});
    g_.remove_frame(e.id);
    return ok();
  }
  Status operator()(const SetGroup& e) {
    if (!restores_ && !valid_id(e.group->id))
      return Error{codes::bad_group, e.group->id,
                   "a group id must be 1 to " + std::to_string(kMostIdCharacters) + " of a-z, 0-9 and _.", ""};
    if (const Group* old = g_.find_group(e.group->id)) {
      undo_.push_back(SetGroup{*old});
    } else {
      undo_.push_back(RemoveGroup{e.group->id});
    }
    g_.set_group(*e.group);
    return ok();
  }
  Status operator()(const RemoveGroup& e) {
    const Group* old = g_.find_group(e.id);
    if (!old) return Error{codes::bad_group, e.id, "there is no such group.", ""};
    undo_.push_back(SetGroup{*old});
    g_.remove_group(e.id);
    return ok();
  }

 private:
  void remove_links(const std::string& node) {
    std::vector<Link> links = g_.links_into(node);
    for (const Link& link : g_.links_from(node)) {
      if (link.to != node) links.push_back(link);
    }
    for (const Link& link : links) {
      g_.remove_link(link);
      undo_.push_back(AddLink{link});
    }
  }
  /// The first node tied to `owner` becomes the owner of the others.
  void hand_over_ties(const std::string& owner) {
    std::string heir;
    if (!looked_for_ties_) {
      looked_for_ties_ = true;
      const auto is_tied = [](const auto& entry) { return !entry.second.tie.empty(); };
      has_ties_ = has_ties_ || std::ranges::any_of(g_.nodes(), is_tied);
    }
    if (!has_ties_) return;
    for (const std::string& id : tied_to(g_, owner)) {
      undo_.push_back(SetTie{id, owner});
      g_.node(id).tie = heir;
      if (heir.empty()) heir = id;
    }
  }

  Graph& g_;
  Edits& undo_;
  const bool restores_;
  bool looked_for_ties_ = false, has_ties_ = false;  // so that many nodes can go without looking at all for each
};

}  // namespace

Result<Edits> apply_edits(Graph& graph, const Edits& edits) {
  Edits undo;
  Applier applier(graph, undo);
  Status status = ok();
  for (const Edit& edit : edits) {
    status = std::visit(applier, edit);
    if (!status) break;
  }
  if (status && std::ranges::any_of(edits, adds_instances)) status = check_groups(graph);
  std::reverse(undo.begin(), undo.end());
  if (status) return undo;
  undo_edits(graph, undo);
  return status.error();
}

void undo_edits(Graph& graph, const Edits& inverse) {
  Edits ignored;
  Applier back(graph, ignored, true);
  for (const Edit& edit : inverse) {
    [[maybe_unused]] const Status undone = std::visit(back, edit);
    assert(undone);
  }
}

}  // namespace hw
